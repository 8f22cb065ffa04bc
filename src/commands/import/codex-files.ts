/**
 * The lines of Codex rollouts (`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`), and the files
 * of a thread. After a rewind Codex continues in a second file, and a fork holds only what is new;
 * both name what comes before by a thread and a position in it, the lines' `ordinal`.
 */

import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { anything, count, isRecord, maybe, text, readTime } from "./json.ts";
import { findSourceFiles, SourceFile } from "./source.ts";

const itemSchema = z.object({
  type: z.string(),
  role: text,
  content: anything,
  summary: anything,
  id: text,
  call_id: text,
  name: text,
  namespace: text,
  arguments: anything,
  input: anything,
  output: anything,
  action: anything,
  tools: anything,
});

export type CodexItem = z.infer<typeof itemSchema>;

const unreadable: CodexItem = itemSchema.parse({ type: "unreadable" });

const metaSchema = z.object({
  id: text,
  session_id: text,
  cwd: text,
  timestamp: anything,
  source: anything,
  thread_source: text,
  history_base: maybe(z.object({ thread_id: text, end_ordinal_exclusive: count })),
});

export type Meta = z.infer<typeof metaSchema>;

const eventSchema = z.object({
  type: z.string(),
  info: maybe(z.object({ last_token_usage: anything, total_token_usage: anything })),
  num_turns: count,
  thread_name: text,
  turn_id: text,
  message: text,
});

export type Event = z.infer<typeof eventSchema>;

const compactedSchema = z.object({
  message: text,
  replacement_history: maybe(z.array(itemSchema.catch(unreadable))),
});

export type Compacted = z.infer<typeof compactedSchema>;

const place = {
  timestamp: anything,
  /** Counts the lines of a thread, over all its files; null in old files. */
  ordinal: count,
};

const lineSchema = z.discriminatedUnion("type", [
  z.object({ ...place, type: z.literal("session_meta"), payload: metaSchema }),
  z.object({
    ...place,
    type: z.literal("turn_context"),
    payload: z.object({ cwd: text, model: text }),
  }),
  z.object({ ...place, type: z.literal("response_item"), payload: itemSchema }),
  z.object({ ...place, type: z.literal("event_msg"), payload: eventSchema }),
  z.object({ ...place, type: z.literal("compacted"), payload: compactedSchema }),
]);

const lineTypes = new Set<string>(lineSchema.options.map(({ shape }) => shape.type.value));

const otherLine = z.object({ ...place, type: z.string() }).transform(({ type, ...line }) => {
  return { ...line, type: "other" as const, name: unreadableKinds.get(type) ?? type };
});

/** Any other line is counted under its name when it is skipped. */
export type CodexLine = z.infer<typeof lineSchema> | z.infer<typeof otherLine>;

/** Names of lines that have one of our types, but cannot be read. */
const unreadableKinds = new Map([
  ["response_item", "unreadable items"],
  ["event_msg", "unreadable events"],
]);

/** Null when Codex does not write such lines. */
export function parseLine(json: unknown): CodexLine | null {
  if (!isRecord(json) || typeof json["type"] !== "string" || !isRecord(json["payload"]))
    return null;
  return lineSchema.safeParse(json).data ?? otherLine.parse(json);
}

/** Whether only Codex writes such a line. */
export const isCodexLine = (json: unknown): boolean =>
  isRecord(json) &&
  !("parent" in json || "sessionId" in json || "uuid" in json) &&
  isRecord(json["payload"]) &&
  lineTypes.has(String(json["type"]));

/** A file of the conversation, up to an ordinal, which is not included. */
export type ThreadSegment = {
  path: string;
  end: number;
  /** Lines from `end` on were undone in this same thread: they are kept as a branch. */
  hasBranch: boolean;
};

type Thread = {
  segments: ThreadSegment[];
  /** The thread that the first segment continues, if its file was not found. */
  missing: string | null;
};

type HistoryBase = { thread_id: string | null; end_ordinal_exclusive: number | null };
type Header = {
  path: string;
  id: string;
  ordinal: number;
  startedMs: number;
  base: HistoryBase | null;
};

/** Ends cycles, too. */
const maxSegments = 1_000;

/** Lines that are searched for the header, since the file may begin with damaged ones. */
const headerLines = 20;

/** The conversation that a file belongs to, up to its latest file. */
export function findThread(path: string): Thread {
  const first = readHeader(path);
  if (first === null)
    return { segments: [{ path, end: Infinity, hasBranch: false }], missing: null };
  const listing = new ThreadListing(path);
  const latest = listing.thread(first.id).at(-1) ?? first;
  const whole = chainTo(latest, listing);
  return whole.segments.some((segment) => segment.path === path) ? whole : chainTo(first, listing);
}

function chainTo(last: Header, listing: ThreadListing): Thread {
  const segments: ThreadSegment[] = [{ path: last.path, end: Infinity, hasBranch: false }];
  let at = last;
  while (at.base?.thread_id && segments.length < maxSegments) {
    const { thread_id: id, end_ordinal_exclusive: end } = at.base;
    const before = listing.before(at, id, end ?? Infinity);
    if (before === null) return { segments, missing: id };
    segments.unshift({ path: before.path, end: end ?? Infinity, hasBranch: before.id === last.id });
    at = before;
  }
  return { segments, missing: null };
}

/** The rollouts beside a file, found by the thread's id in their names. */
class ThreadListing {
  readonly #files: string[];
  readonly #threads = new Map<string, Header[]>();

  constructor(path: string) {
    const home = findHome(path);
    const folders = home === null ? [dirname(path)] : roots.map((name) => join(home, name));
    // In folders of a year, a month and a day.
    this.#files = folders.flatMap((folder) => findSourceFiles(folder, 3));
  }

  /** The files of a thread, in the order in which they were begun. */
  thread(id: string): Header[] {
    const named = this.#files.filter((path) => id !== "" && basename(path).includes(id));
    const found =
      this.#threads.get(id) ??
      named
        .flatMap((path) => readHeader(path) ?? [])
        .filter((header) => header.id === id)
        .sort((a, b) => a.startedMs - b.startedMs || a.ordinal - b.ordinal);
    this.#threads.set(id, found);
    return found;
  }

  /** The file that was being written when `next` left the thread. */
  before(next: Header, id: string, end: number): Header | null {
    const older = this.thread(id).filter(
      (header) =>
        header.path !== next.path && header.ordinal < end && header.startedMs <= next.startedMs,
    );
    return older.at(-1) ?? null;
  }
}

/** Null also for a file that cannot be read, as if it were not there. */
function readHeader(path: string): Header | null {
  for (const json of attempt(() => [...new SourceFile(path).lines().take(headerLines)], [])) {
    const line = parseLine(json);
    if (line?.type !== "session_meta") continue;
    const { payload: meta, ordinal, timestamp } = line;
    const id = meta.id ?? meta.session_id;
    if (id === null) continue;
    const startedMs = readTime(meta.timestamp) ?? readTime(timestamp) ?? 0;
    return { path, id, ordinal: ordinal ?? 0, startedMs, base: meta.history_base };
  }
  return null;
}

/** The title in the index of the folder that holds all of Codex's files; null when it has none. */
export function findTitle(path: string, id: string): string | null {
  const home = findHome(path);
  if (home === null) return null;
  let title: string | null = null;
  const index = join(home, "session_index.jsonl");
  // Without an index the session is named by its first words.
  for (const json of attempt(() => [...new SourceFile(index).lines()], []))
    if (isRecord(json) && json["id"] === id && typeof json["thread_name"] === "string")
      title = json["thread_name"];
  return title;
}

const roots = ["sessions", "archived_sessions"];

/** The parent of `sessions/YYYY/MM/DD` or `archived_sessions`. */
function findHome(path: string): string | null {
  let folder = dirname(path);
  for (let up = 0; up < 5; up++) {
    if (roots.includes(basename(folder))) return dirname(folder);
    folder = dirname(folder);
  }
  return null;
}
