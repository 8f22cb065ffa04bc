/** The sessions of a folder: listed, found by name, searched, opened and removed. */

import { attempt } from "../base/guards.ts";
import { takeStart } from "../base/clip.ts";
import { existsSync, rmSync, statSync } from "node:fs";
import { open, readdir, readFile, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { blockText } from "../protocol/block.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { usedBy } from "../protocol/model.ts";
import { headLines, lastLineWith, tailLines } from "./peek.ts";
import { acquireLock, findHolder } from "./lock.ts";
import { LogError } from "./log-error.ts";
import { openPages, toPages, toText } from "./paged-text.ts";
import { parseLine } from "./parse.ts";
import { type Hit, isSavedResult, readEntries, searchEntries } from "./search.ts";
import { openLog, type LogStore } from "./store.ts";

export type SessionInfo = {
  session: string;
  file: string;
  cwd: string;
  /** The model that answered last. */
  model: string;
  /** The title set by the user, else the first prompt. */
  title: string;
  /** The user's first prompt, on one line. */
  firstPrompt: string;
  /** Last change, in milliseconds since the epoch. */
  changedMs: number;
  bytes: number;
  /** Tokens of the latest call that was answered. */
  usedTokens: number | null;
  /** Number of entries. */
  entries: number;
  /** Another process has it open. */
  busy: boolean;
  /** The session whose agent began this one to have a task done; null: the user did. */
  startedBy: string | null;
};

/** Sessions read at a time. */
const concurrency = 16;

/** Bytes searched backwards for a title set by the user, or for a folder's new name. */
const titleBytes = 16 * 1024 * 1024;

/**
 * The sessions in a project's folder, latest first; only those whose names start with `begin`.
 * Other files are ignored.
 */
export async function listSessions(folder: string, begin = ""): Promise<SessionInfo[]> {
  const files = await listNames(folder, ".jsonl");
  return describeAll(files.filter((file) => basename(file).startsWith(begin)));
}

/** The sessions of all projects, latest first; `root` has one folder per project. */
export async function listAllSessions(root: string): Promise<SessionInfo[]> {
  const folders = await listNames(root, "");
  const files = await Promise.all(folders.map((folder) => listNames(folder, ".jsonl")));
  return describeAll(files.flat());
}

const hint = "mini-claude sessions list shows them; with --all, also those of other folders.";

/**
 * The session of that name, else the only one whose name begins with it. Throws `LogError` when
 * there is none or more than one.
 */
export function findSession(sessions: readonly SessionInfo[], name: string): SessionInfo {
  const exact = sessions.find(({ session }) => session === name);
  if (exact) return exact;
  const matches = sessions.filter(({ session }) => name !== "" && session.startsWith(name));
  const [only] = matches;
  if (!only) throw new LogError(`No session of this folder is called “${name}”. ${hint}`);
  if (matches.length > 1)
    throw new LogError(
      `“${name}” matches ${matches.length} sessions; use a longer prefix. ${hint}`,
    );
  return only;
}

/** The user's session that changed last; null: there is none. Later ones are not read. */
export async function latestSession(folder: string): Promise<SessionInfo | null> {
  const files = await listNames(folder, ".jsonl");
  const changed = files.map((file) => ({
    file,
    changedMs: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  for (const { file } of changed.sort(latestFirst)) {
    const info = await describeSession(file);
    if (info && isOfUser(info)) return info;
  }
  return null;
}

/** Opening a pipe would wait for its writer. */
const isRegular = (file: string): boolean =>
  attempt(() => statSync(file, { throwIfNoEntry: false }), undefined)?.isFile() ?? false;

/** Whether the user began it, and not another session's agent. */
export const isOfUser = ({ startedBy }: Pick<SessionInfo, "startedBy">): boolean =>
  startedBy === null;

/** Largest file whose turns are counted, in bytes. */
const maxCounted = 64 * 1024 * 1024;

const userLine = /^\{"id":"[^"]*","parent":(?:null|"[^"]*"),"at":"[^"]*","type":"user"/gm;

/** Null: it is too large to count them. */
export const countTurns = async ({
  file,
  bytes,
}: Pick<SessionInfo, "file" | "bytes">): Promise<number | null> =>
  bytes > maxCounted ? null : ((await readFile(file, "utf8")).match(userLine)?.length ?? 0);

const listNames = async (folder: string, end: string): Promise<string[]> =>
  (await readdir(folder).catch(() => []))
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));

async function describeAll(files: readonly string[]): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  for (let at = 0; at < files.length; at += concurrency) {
    const some = await Promise.all(files.slice(at, at + concurrency).map(describeSession));
    infos.push(...some.filter((info) => info !== null));
  }
  return infos.sort(latestFirst);
}

type Changed = Pick<SessionInfo, "changedMs" | "file">;

const latestFirst = (a: Changed, b: Changed): number =>
  b.changedMs - a.changedMs || (a.file < b.file ? 1 : -1);

/** Null when the file is not a session. Parses only the head and the tail of the file. */
export async function describeSession(file: string): Promise<SessionInfo | null> {
  await using handle = isRegular(file) ? await open(file, "r").catch(() => null) : null;
  if (!handle) return null;
  try {
    const info = await handle.stat();
    const seen = await summarize(handle, info.size);
    if (!seen) return null;
    return {
      ...seen,
      session: basename(file, ".jsonl"),
      file,
      changedMs: info.mtimeMs,
      bytes: info.size,
      busy: findHolder(file) !== null,
    };
  } catch {
    // Deleted by now, or unreadable: it cannot be resumed either.
    return null;
  }
}

/** Null: it is not a session. */
async function summarize(handle: FileHandle, size: number) {
  const head = await headLines(handle, size, (lines) =>
    lines.some((line) => line.includes('"type":"user"')),
  );
  const first = parseEntries(head);
  const session = first.find((entry) => entry.type === "session");
  if (!session) return null;
  const prompt = first.find((entry) => entry.type === "user");
  const last = parseEntries(await tailLines(handle, size));
  const model = last.findLast((entry) => entry.type === "assistant" || entry.type === "model");
  const answer = last.findLast((entry) => entry.type === "assistant");
  const firstPrompt = prompt ? oneLine(prompt.typed ?? blockText(prompt.content)) : "";
  const title = await lastLineWith(handle, size, '"kind":"title"', parseTitle, titleBytes);
  return {
    startedBy: session.startedBy?.session ?? null,
    cwd: existsSync(session.cwd) ? session.cwd : await movedTo(handle, size, session.cwd),
    model: model?.model ?? session.model,
    title: title ?? firstPrompt,
    firstPrompt,
    usedTokens: answer ? usedBy(answer.usage) : null,
    entries: Number(/^e(\d+)$/.exec((last.at(-1) ?? first.at(-1))?.id ?? "")?.[1] ?? 0),
  };
}

const parseEntries = (lines: readonly string[]): Entry[] =>
  lines.flatMap((line) => {
    const { entry } = parseLine(line);
    return entry === null ? [] : [entry];
  });

/** A session whose folder was renamed names the new one when it is resumed there. */
async function movedTo(handle: FileHandle, size: number, began: string): Promise<string> {
  const last = await lastLineWith(handle, size, '"type":"session"', parseFolder, titleBytes);
  return last ?? began;
}

function parseFolder(line: string): string | null {
  const { entry } = parseLine(line);
  return entry?.type === "session" ? entry.cwd : null;
}

function parseTitle(line: string): string | null {
  const { entry } = parseLine(line);
  return entry?.type === "note" && entry.kind === "title" ? oneLine(entry.text) : null;
}

/** As much of a title or prompt as a list can show. */
const oneLine = (text: string): string =>
  takeStart(takeStart(text, 2_000).replace(/\s+/g, " ").trim(), 200).toWellFormed();

/**
 * Deletes a session's log and the files beside it. Throws `LogError` when a process has it open.
 */
export function removeSession(file: string): void {
  if (!file.endsWith(".jsonl")) throw new LogError(`${file} is not a session log.`);
  const lock = acquireLock(file);
  try {
    for (const own of [file, `${file}.torn`]) rmSync(own, { force: true });
  } finally {
    lock.release();
  }
}

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
