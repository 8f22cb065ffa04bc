import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { LogError } from "./log-error.ts";
import { logVersion, parseLine } from "./parse.ts";

export type LogContent = {
  /** In file order. A parent always comes before its children. */
  entries: Entry[];
  byId: Map<EntryId, Entry>;
  /** The highest id number; the next entry gets the one after it. */
  lastNumber: number;
  end: LogEnd;
  /** Faults of the file, one sentence each. */
  problems: string[];
  /** The format version when a later mini-claude wrote the log, else null. */
  laterVersion: number | null;
};

/** How the file ends: what has to be repaired before the next write. */
export type LogEnd = {
  /** Bytes up to the end of the last entry. */
  bytes: number;
  /** An incomplete last line, left by a crash; null when there is none. */
  torn: Uint8Array | null;
  /** The last entry is complete except for its newline. */
  lacksNewline: boolean;
};

export const emptyLog = (): LogContent => ({
  entries: [],
  byId: new Map(),
  lastNumber: 0,
  end: { bytes: 0, torn: null, lacksNewline: false },
  problems: [],
  laterVersion: null,
});

/**
 * Reads a log in any state: damaged and incomplete lines are reported and skipped. Throws only when
 * the file itself cannot be read. `onRead` is told the bytes so far, now and then.
 */
export function readLog(file: string, onRead?: (bytes: number) => void): LogContent {
  const log = emptyLog();
  let number = 0;
  let [read, reported] = [0, 0];
  for (const bytes of readLines(file)) {
    const place = `${file}:${++number}`;
    const line = bytes.toString("utf8");
    if (bytes.at(-1) === newline || parseLine(line).entry !== null) {
      log.end.bytes += bytes.length;
      log.end.lacksNewline = bytes.at(-1) !== newline;
      if (line.trim() !== "") addLine(log, line, place);
    } else {
      log.end.torn = Buffer.from(bytes);
      report(
        log,
        `${file}: the last line is incomplete (${bytes.length} bytes, never acknowledged). It is skipped, and moved to ${file}.torn before the next write.`,
      );
    }
    read += bytes.length;
    if (read - reported < reportBytes) continue;
    reported = read;
    onRead?.(read);
  }
  return log;
}

/** Bytes between two reports: some milliseconds. */
const reportBytes = 1024 * 1024;

/** The entries from the root to one of them, or to the latest. */
export function pathTo({ entries, byId }: LogContent, head = entries.at(-1)): Entry[] {
  const path: Entry[] = [];
  for (let at = head; at !== undefined; at = byId.get(at.parent ?? "")) path.push(at);
  return path.reverse();
}

/** Problems reported one by one: a file that is not a log has one per line. */
const maxProblems = 100;

function report(log: LogContent, problem: string): void {
  if (log.problems.length < maxProblems) log.problems.push(problem);
  else if (log.problems.length === maxProblems)
    log.problems.push("There are more problems like these.");
}

/** `place`: the file and the number of the line. */
function addLine(log: LogContent, line: string, place: string): void {
  const parsed = parseLine(line);
  if (parsed.entry === null) {
    report(log, `${place} ${parsed.problem}; the line is skipped.`);
    return;
  }
  if (parsed.problem !== undefined) {
    report(log, `${place} ${parsed.problem}; it is kept as an unknown entry.`);
  }
  if (log.byId.has(parsed.entry.id)) {
    report(log, `${place} repeats the id ${parsed.entry.id}; the line is skipped.`);
    return;
  }
  const entry = repairParent(log, parsed.entry, place);
  log.entries.push(entry);
  log.byId.set(entry.id, entry);
  log.lastNumber = Math.max(log.lastNumber, parseNumber(entry.id));
  if (entry.type === "session" && entry.version > logVersion) log.laterVersion = entry.version;
}

/**
 * A missing parent was on a damaged line. The entry written before that line takes its place, so
 * that one bad line does not cut off everything before it.
 */
function repairParent(log: LogContent, entry: Entry, place: string): Entry {
  if (entry.parent === null || log.byId.has(entry.parent)) return entry;
  const missing = parseNumber(entry.parent);
  const parent = log.entries.findLast(({ id }) => parseNumber(id) < missing)?.id ?? null;
  report(
    log,
    `${place} follows ${entry.parent}, which is missing; it now follows ${parent ?? "nothing"}.`,
  );
  return { ...entry, parent };
}

/** The number in an id; zero for an id in a form that this program does not assign. */
const parseNumber = (id: EntryId): number => Number(/^e([1-9]\d{0,14})$/.exec(id)?.[1] ?? 0);

const newline = 10;

const chunkBytes = 4 * 1024 * 1024;

/**
 * The lines of a file, with their newlines; the last one may lack it. A line is valid until the next one is asked
 * for. Memory: one chunk plus the longest line.
 */
export function* readLines(file: string): Generator<Buffer, void, void> {
  // Without waiting for the writer of a pipe.
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const info = fstatSync(fd);
    if (!info.isFile() && !info.isDirectory())
      throw new LogError(`${file} is not an ordinary file.`);
    const chunk = Buffer.alloc(Math.min(chunkBytes, info.size + 1));
    let rest: Buffer[] = [];
    for (let at = 0; ;) {
      const read = readSync(fd, chunk, 0, chunk.length, at);
      if (read === 0) break;
      at += read;
      const bytes = chunk.subarray(0, read);
      let start = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
        const piece = bytes.subarray(start, end + 1);
        yield rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
        rest = [];
        start = end + 1;
      }
      if (start < read) rest.push(Buffer.from(bytes.subarray(start)));
    }
    if (rest.length > 0) yield Buffer.concat(rest);
  } finally {
    closeSync(fd);
  }
}
