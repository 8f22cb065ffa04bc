/**
 * The files of a Codex thread (`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`). After a
 * rewind Codex continues in a second file, and a fork holds only what is new; both name what comes
 * before by a thread and a position in it, the lines' `ordinal`.
 */

import { basename, join } from "node:path";
import { z } from "zod";
import { attempt, isRecord } from "../../base/guards.ts";
import { anything, count, findSourceFiles, maybe, openSource, text } from "./source.ts";

const payloadSchema = z.looseObject({
  type: text,
  role: text,
  content: anything,
  summary: anything,
  id: text,
  call_id: text,
  output: anything,
  cwd: text,
  thread_source: text,
  history_base: maybe(z.object({ thread_id: text, end_ordinal_exclusive: count })),
  model: text,
  info: maybe(z.object({ last_token_usage: anything, total_token_usage: anything })),
  message: text,
  replacement_history: maybe(z.array(z.unknown())),
});

/** An item of a conversation, an event, or a header. */
export type Payload = z.infer<typeof payloadSchema>;

export const parsePayload = (json: unknown): Payload | undefined =>
  payloadSchema.safeParse(json).data;

const lineSchema = z.object({
  timestamp: anything,
  /** Counts the lines of a thread, over all its files. */
  ordinal: count,
  type: z.string(),
  payload: payloadSchema,
});

export type CodexLine = z.infer<typeof lineSchema>;

/** Undefined when Codex does not write such lines. */
export const parseLine = (json: unknown): CodexLine | undefined => lineSchema.safeParse(json).data;

/** A file of the conversation, up to an ordinal, which is not included. */
type Segment = { path: string; end: number };

/** The first line of a file. */
type Header = {
  path: string;
  id: string;
  ordinal: number;
  base: { id: string; end: number } | null;
};

const roots = ["sessions", "archived_sessions"];

/** The folder of all of Codex's files; null when this file is elsewhere. */
const findHome = (path: string): string | null =>
  /^(.*)\/(?:archived_)?sessions\//.exec(path)?.[1] ?? null;

/**
 * The conversation that a file belongs to, up to its latest file. `missing`: the thread that it
 * continues, if no file of that thread was found.
 */
export function findThread(path: string): { segments: Segment[]; missing: string | null } {
  const home = findHome(path);
  const first = readHeader(path);
  const files = home === null ? [] : roots.flatMap((root) => findSourceFiles(join(home, root)));
  /** The files of a thread; their names begin with the time. */
  const listThread = (id: string): Header[] =>
    files
      .filter((file) => basename(file).includes(id))
      .flatMap((file) => readHeader(file) ?? [])
      .filter((header) => header.id === id)
      .sort((a, b) => (basename(a.path) < basename(b.path) ? -1 : 1));
  const whole = chainTo((first && listThread(first.id).at(-1)) ?? first);
  return whole.segments.some((segment) => segment.path === path) ? whole : chainTo(first);

  function chainTo(last: Header | null): { segments: Segment[]; missing: string | null } {
    const segments: Segment[] = [{ path: last?.path ?? path, end: Infinity }];
    for (let at = last; at?.base;) {
      const { path: later, base } = at;
      // The file that was being written when this one left the thread.
      const before = listThread(base.id).findLast(
        (header) => header.ordinal < base.end && basename(header.path) < basename(later),
      );
      if (before === undefined) return { segments, missing: base.id };
      segments.unshift({ path: before.path, end: base.end });
      at = before;
    }
    return { segments, missing: null };
  }
}

/** Null also for a file that cannot be read, as if it were not there. */
function readHeader(path: string): Header | null {
  const line = parseLine(attempt(() => openSource(path).lines().next().value, null));
  if (line?.type !== "session_meta" || line.payload.id === null) return null;
  const { id, history_base: named } = line.payload;
  const base = named?.thread_id
    ? { id: named.thread_id, end: named.end_ordinal_exclusive ?? Infinity }
    : null;
  return { path, id, ordinal: line.ordinal ?? 0, base };
}

/** The title in Codex's index of sessions; null when it has none. */
export function findTitle(path: string, id: string): string | null {
  const index = join(findHome(path) ?? "", "session_index.jsonl");
  const names = attempt(() => [...openSource(index).lines()].filter(isRecord), []);
  const title = names.findLast((name) => name["id"] === id)?.["thread_name"];
  return typeof title === "string" ? title : null;
}
