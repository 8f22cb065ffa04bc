/**
 * The lines of Codex rollouts (`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`), and the files
 * of a thread. After a rewind Codex continues in a second file, and a fork holds only what is new;
 * both name what comes before by a thread and a position in it, the lines' `ordinal`.
 */

import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { attempt, isRecord } from "../../base/guards.ts";
import { anything, count, maybe, text } from "./json.ts";
import { findSourceFiles, SourceFile } from "./source.ts";

const itemFields = {
  type: text,
  role: text,
  content: anything,
  summary: anything,
  id: text,
  call_id: text,
  output: anything,
};

const itemSchema = z.looseObject(itemFields);

export type CodexItem = z.infer<typeof itemSchema>;

const lineSchema = z.object({
  timestamp: anything,
  /** Counts the lines of a thread, over all its files. */
  ordinal: count,
  type: z.string(),
  payload: z.looseObject({
    ...itemFields,
    session_id: text,
    cwd: text,
    source: anything,
    thread_source: text,
    history_base: maybe(z.object({ thread_id: text, end_ordinal_exclusive: count })),
    model: text,
    info: maybe(z.object({ last_token_usage: anything, total_token_usage: anything })),
    message: text,
    replacement_history: maybe(z.array(itemSchema.catch(itemSchema.parse({})))),
  }),
});

export type CodexLine = z.infer<typeof lineSchema>;

/** Undefined when Codex does not write such lines. */
export const parseLine = (json: unknown): CodexLine | undefined => lineSchema.safeParse(json).data;

const lineTypes = ["session_meta", "turn_context", "response_item", "event_msg", "compacted"];

/** Whether only Codex writes such a line. */
export const isCodexLine = (json: unknown): boolean =>
  isRecord(json) &&
  !("parent" in json || "sessionId" in json || "uuid" in json) &&
  isRecord(json["payload"]) &&
  lineTypes.includes(String(json["type"]));

/** A file of the conversation, up to an ordinal, which is not included. */
type ThreadSegment = { path: string; end: number };

type Header = Pick<CodexLine["payload"], "history_base"> & {
  path: string;
  id: string;
  ordinal: number;
};

/**
 * The conversation that a file belongs to, up to its latest file. `missing`: the thread that it
 * continues, if no file of that thread was found.
 */
export function findThread(path: string): { segments: ThreadSegment[]; missing: string | null } {
  const first = readHeader(path);
  if (first === null) return { segments: [{ path, end: Infinity }], missing: null };
  const home = findHome(path);
  const folders = home === null ? [dirname(path)] : roots.map((name) => join(home, name));
  const files = folders.flatMap(findSourceFiles);
  /** The files of a thread; their names begin with the time. */
  const listThread = (id: string): Header[] =>
    files
      .filter((file) => basename(file).includes(id))
      .flatMap((file) => readHeader(file) ?? [])
      .filter((header) => header.id === id)
      .sort((a, b) => (basename(a.path) < basename(b.path) ? -1 : 1));
  const whole = chainTo(listThread(first.id).at(-1) ?? first);
  return whole.segments.some((segment) => segment.path === path) ? whole : chainTo(first);

  function chainTo(last: Header): { segments: ThreadSegment[]; missing: string | null } {
    const segments: ThreadSegment[] = [{ path: last.path, end: Infinity }];
    for (let at = last; at.history_base?.thread_id;) {
      const { thread_id: id, end_ordinal_exclusive } = at.history_base;
      const end = end_ordinal_exclusive ?? Infinity;
      const name = basename(at.path);
      // The file that was being written when this one left the thread.
      const before = listThread(id).findLast(
        (header) => header.ordinal < end && basename(header.path) < name,
      );
      if (before === undefined) return { segments, missing: id };
      segments.unshift({ path: before.path, end });
      at = before;
    }
    return { segments, missing: null };
  }
}

/** Null also for a file that cannot be read, as if it were not there. */
function readHeader(path: string): Header | null {
  const line = parseLine(attempt(() => new SourceFile(path).lines().next().value, null));
  if (line?.type !== "session_meta" || line.payload.id === null) return null;
  const { id, history_base } = line.payload;
  return { path, id, ordinal: line.ordinal ?? 0, history_base };
}

/** The title in the index of the folder that holds all of Codex's files; null when it has none. */
export function findTitle(path: string, id: string): string | null {
  const home = findHome(path);
  // Without an index the session is named by its first words.
  const names = attempt(
    () => [...new SourceFile(join(home ?? "", "session_index.jsonl")).lines()].filter(isRecord),
    [],
  );
  const title = names.findLast((name) => name["id"] === id)?.["thread_name"];
  return home !== null && typeof title === "string" ? title : null;
}

const roots = ["sessions", "archived_sessions"];

/** The parent of `sessions/YYYY/MM/DD` or `archived_sessions`. */
function findHome(path: string): string | null {
  const folders = path.split("/");
  const at = folders.findLastIndex((name) => roots.includes(name));
  return at === -1 ? null : folders.slice(0, at).join("/");
}
