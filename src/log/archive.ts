import { basename, dirname, join } from "node:path";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { listSessions } from "./catalog.ts";
import { LogError } from "./log-error.ts";
import { openPages, toPages, toText } from "./paged-text.ts";
import { readEntries, isSavedResult, searchEntries, type Hit } from "./search.ts";
import { openLog, type LogStore } from "./store.ts";

/** A hit; `session` is null in the open session. */
type ArchiveHit = Hit & { session: string | null };

type Watching = {
  signal?: AbortSignal | undefined;
  /** Entries that are not searched. */
  skips?: ((entry: Entry) => boolean) | undefined;
};

/** Sessions of a project that are searched, newest first. */
const maxSessions = 40;

/** Searches and opens everything ever logged, in this session and the project's others. */
export class Archive {
  readonly #log: LogStore;
  readonly #resultsFolder: string;

  constructor(log: LogStore, resultsFolder: string) {
    this.#log = log;
    this.#resultsFolder = resultsFolder;
  }

  /** Searches this session, best hits first. */
  async search(
    query: string,
    limit: number,
    { signal, skips }: Watching = {},
  ): Promise<ArchiveHit[]> {
    const { entries } = this.#log;
    const hits = await searchEntries(entries, query, {
      limit,
      signal,
      skips,
      resultsFolder: this.#resultsFolder,
    });
    return hits.map((hit) => ({ ...hit, session: null }));
  }

  /** Searches the project's other sessions, newest first. Unreadable ones are skipped. */
  async searchProject(
    query: string,
    limit: number,
    { signal, skips }: Watching = {},
  ): Promise<ArchiveHit[]> {
    const all = await listSessions(dirname(this.#log.file));
    const sessions = all
      .slice(0, maxSessions)
      .filter(({ session }) => session !== this.#log.session);
    const found: ArchiveHit[] = [];
    for (const { session, file } of sessions) {
      if (found.length >= limit || signal?.aborted) break;
      const hits = await searchEntries(readEntries(file), query, {
        limit: limit - found.length,
        signal,
        skips,
        resultsFolder: this.#resultsFolder,
      }).catch(() => []);
      found.push(...hits.map((hit) => ({ ...hit, session })));
    }
    return found;
  }

  /**
   * An entry of this session, or of another one of the project, with its full text in pages of
   * lines; null when there is none.
   */
  async open(id: EntryId, session: string | null = null) {
    const entry = session === null ? this.#log.get(id) : this.#findEntry(id, session);
    if (!entry) return null;
    const saved = isSavedResult(entry, this.#resultsFolder)
      ? await openPages(entry.file).catch(() => null)
      : null;
    return { entry, text: saved ?? toPages(toText(entry)) };
  }

  /** The call that a result of this session answers. */
  findCall(entry: Entry): { name: string; input: Record<string, unknown> } | null {
    if (entry.type === "step") return { name: entry.tool, input: entry.input };
    if (entry.type !== "result") return null;
    for (let at = entry.parent; at !== null; at = this.#log.get(at)?.parent ?? null) {
      const before = this.#log.get(at);
      if (before?.type !== "assistant") continue;
      const call = before.content.find(
        (block) => block.type === "tool_use" && block.id === entry.toolUse,
      );
      return call?.type === "tool_use" ? call : null;
    }
    return null;
  }

  #findEntry(id: EntryId, session: string): Entry | undefined {
    if (basename(session) !== session || session.startsWith(".")) return undefined;
    try {
      const file = join(dirname(this.#log.file), `${session}.jsonl`);
      return openLog(file, { readOnly: true }).get(id);
    } catch (error) {
      if (error instanceof LogError) return undefined;
      throw error;
    }
  }
}
