import type { Entry, EntryId } from "../protocol/entry.ts";
import { eachLine } from "./lines.ts";
import { logVersion, parseLine } from "./parse.ts";

export type ReadLog = {
  /** In the order of the file. Each one's parent is among those before it. */
  entries: Entry[];
  byId: Map<EntryId, Entry>;
  /** Highest number of an id: the next entry gets the one after it. */
  lastNumber: number;
  end: LogEnd;
  /** What was wrong, a sentence each. */
  problems: string[];
  /** The later version that wrote it, which must not be written to; null: one of ours. */
  laterVersion: number | null;
};

/** How the file ends, and so what the next writer has to do first. */
export type LogEnd = {
  /** Bytes up to the end of the last entry. */
  bytes: number;
  /** The piece of a line that a crash left behind; null: none. */
  torn: Uint8Array | null;
  /** The last entry is whole, only its newline is missing. */
  open: boolean;
};

export const emptyLog = (): ReadLog => ({
  entries: [],
  byId: new Map(),
  lastNumber: 0,
  end: { bytes: 0, torn: null, open: false },
  problems: [],
  laterVersion: null,
});

/**
 * Reads a log, whatever state it is in: a damaged line is told of and passed over, a torn last one
 * too. Throws only when the file cannot be read at all.
 */
export function readLog(file: string): ReadLog {
  const log = emptyLog();
  let number = 0;
  const rest = eachLine(file, (line, bytes) => {
    number++;
    log.end.bytes += bytes;
    if (line.trim() !== "") takeLine(log, line, `${file}:${number}`);
  });
  if (rest.length === 0) return log;
  const line = rest.toString("utf8");
  if (parseLine(line).entry !== null) {
    takeLine(log, line, `${file}:${number + 1}`);
    log.end.bytes += rest.length;
    log.end.open = true;
  } else {
    log.end.torn = rest;
    tell(
      log,
      `${file}: the last line was torn off (${rest.length} bytes that were never acknowledged); it is passed over, and set aside before the next one is written.`,
    );
  }
  return log;
}

/** Problems that are told one by one: a file that is no log at all has one a line. */
const mostProblems = 100;

function tell(log: ReadLog, problem: string): void {
  if (log.problems.length < mostProblems) log.problems.push(problem);
  else if (log.problems.length === mostProblems) log.problems.push("There is more of that kind.");
}

function takeLine(log: ReadLog, line: string, where: string): void {
  const parsed = parseLine(line);
  if (parsed.entry === null) {
    tell(log, `${where} ${parsed.problem}; the line is passed over.`);
    return;
  }
  if (parsed.problem !== undefined) {
    tell(log, `${where} ${parsed.problem}; it is kept, and counts as unknown.`);
  }
  if (log.byId.has(parsed.entry.id)) {
    tell(log, `${where} is a second ${parsed.entry.id}; the line is passed over.`);
    return;
  }
  const entry = mendParent(log, parsed.entry, where);
  log.entries.push(entry);
  log.byId.set(entry.id, entry);
  log.lastNumber = Math.max(log.lastNumber, numberOf(entry.id));
  if (entry.type === "session" && entry.version > logVersion) log.laterVersion = entry.version;
}

/**
 * A parent that is missing stood on a line that is damaged. The entry that was written before that
 * line takes its place: one bad line must not cut off all that came before it.
 */
function mendParent(log: ReadLog, entry: Entry, where: string): Entry {
  if (entry.parent === null || log.byId.has(entry.parent)) return entry;
  const parent = lastBefore(log.entries, numberOf(entry.parent));
  tell(
    log,
    `${where} follows ${entry.parent}, which is not there; it is taken to follow ${parent ?? "nothing"}.`,
  );
  return { ...entry, parent };
}

/** Ids rise along a log, so that halving finds the place. */
function lastBefore(entries: readonly Entry[], number: number): EntryId | null {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (numberOf(entries[middle]?.id ?? "") < number) from = middle + 1;
    else to = middle;
  }
  return entries[from - 1]?.id ?? null;
}

const numberOf = (id: EntryId): number => {
  const number = /^e(\d{1,15})$/.exec(id)?.[1];
  return number === undefined ? 0 : Number(number);
};
