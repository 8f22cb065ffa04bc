import type { Entry, EntryId } from "../protocol/entry.ts";
import { numberOf } from "../protocol/by-entry.ts";
import { eachKnownLine, readNote, type KnownLine, type LineTable } from "./checked.ts";
import { FileWindow } from "./file-window.ts";
import { eachLine } from "./lines.ts";
import { OldEntries } from "./old-entries.ts";
import { logVersion, parseLine } from "./parse.ts";
import type { EntryTable, Place } from "./entry-table.ts";

export type LogContent = {
  /** In file order. A parent always comes before its children. */
  entries: readonly Entry[];
  /** The same: leaves them on disk. */
  old: OldEntries;
  /** The highest id number; the next entry gets the one after it. */
  lastNumber: number;
  end: LogEnd;
  /** What was wrong, one sentence each. */
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

export function emptyLog(file: string): LogContent {
  const old = new OldEntries(file);
  return {
    entries: old.list,
    old,
    lastNumber: 0,
    end: { bytes: 0, torn: null, lacksNewline: false },
    problems: [],
    laterVersion: null,
  };
}

/**
 * Reads a log in any state: damaged and incomplete lines are reported and skipped. Throws only when
 * the file itself cannot be read.
 */
export function readLog(file: string): LogContent {
  const note = readNote(file);
  return note ? readNoted(file, note) : readAll(file);
}

/** Reads a log with its note: entries about which the note says enough stay on disk. */
function readNoted(file: string, note: LineTable): LogContent {
  const log = emptyLog(file);
  const window = new FileWindow(file);
  let number = 0;
  eachKnownLine(note, ({ header, bytes }) => {
    const place = { file, number: ++number, at: log.end.bytes, bytes };
    log.end.bytes += bytes;
    if (header) {
      log.old.leave(header, place);
      log.lastNumber = Math.max(log.lastNumber, header.number);
    } else addLine(log, window.text(place), place);
  });
  return log;
}

function readAll(file: string): LogContent {
  const log = emptyLog(file);
  let number = 0;
  const rest = eachLine(file, (buffer, bytes) => {
    number++;
    const place = { file, number, at: log.end.bytes, bytes };
    log.end.bytes += bytes;
    const line = buffer.toString("utf8");
    if (line.trim() !== "") addLine(log, line, place);
  });
  if (rest.length === 0) return log;
  const line = rest.toString("utf8");
  if (parseLine(line).entry !== null) {
    addLine(log, line, { file, number: number + 1, at: log.end.bytes, bytes: rest.length });
    log.end.bytes += rest.length;
    log.end.lacksNewline = true;
  } else {
    log.end.torn = rest;
    report(
      log,
      `${file}: the last line is incomplete (${rest.length} bytes, never acknowledged). It is skipped, and moved to ${file}.torn before the next write.`,
    );
  }
  return log;
}

/** The lines of the entries; those that say more on opening than a note does are parsed then. */
export const linesOf = ({ old: { table } }: LogContent): KnownLine[] =>
  Array.from({ length: table.length }, (_, index) => {
    const header = table.numberedHeaderOf(index);
    const isParsed = header?.type === "session" || header?.type === "unknown";
    return { header: isParsed ? null : header, bytes: table.placeOf(index).bytes };
  });

/** Problems reported one by one: a file that is not a log has one per line. */
const maxProblems = 100;

function report(log: LogContent, problem: string): void {
  if (log.problems.length < maxProblems) log.problems.push(problem);
  else if (log.problems.length === maxProblems)
    log.problems.push("There are more problems like these.");
}

/** `number`: of the line, from 1. */
type LinePlace = Place & { file: string; number: number };

function addLine(log: LogContent, line: string, place: LinePlace): void {
  const parsed = parseLine(line);
  if (parsed.entry === null) {
    report(log, `${show(place)} ${parsed.problem}; the line is skipped.`);
    return;
  }
  if (parsed.problem !== undefined) {
    report(log, `${show(place)} ${parsed.problem}; it is kept as an unknown entry.`);
  }
  if (log.old.has(parsed.entry.id)) {
    report(log, `${show(place)} repeats the id ${parsed.entry.id}; the line is skipped.`);
    return;
  }
  const entry = repairParent(log, parsed.entry, place);
  log.old.read(entry, place);
  log.lastNumber = Math.max(log.lastNumber, numberOf(entry.id));
  if (entry.type === "session" && entry.version > logVersion) log.laterVersion = entry.version;
}

/**
 * A missing parent was on a damaged line. The entry written before that line takes its place, so
 * that one bad line does not cut off everything before it.
 */
function repairParent(log: LogContent, entry: Entry, place: LinePlace): Entry {
  if (entry.parent === null || log.old.has(entry.parent)) return entry;
  const parent = lastBefore(log.old.table, numberOf(entry.parent));
  report(
    log,
    `${show(place)} follows ${entry.parent}, which is missing; it now follows ${parent ?? "nothing"}.`,
  );
  return { ...entry, parent };
}

/** Ids increase along a log, so this is a binary search. */
function lastBefore(table: EntryTable, number: number): EntryId | null {
  let from = 0;
  let to = table.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (numberOf(table.idOf(middle)) < number) from = middle + 1;
    else to = middle;
  }
  return from === 0 ? null : table.idOf(from - 1);
}

const show = ({ file, number }: LinePlace): string => `${file}:${number}`;
