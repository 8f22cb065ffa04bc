/**
 * A note beside a large log: it says that the whole log was read, that every line was a valid
 * entry, and where each line is. With it the log opens without being read, until it changes.
 */

import { createHash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { z } from "zod";
import { toTable, type KnownLine, type LineTable } from "./line-table.ts";

/** Smaller logs are read at once. */
const largeBytes = 1024 * 1024;

const tailBytes = 64 * 1024;

const newline = 10;

/** `mark`: of the log; `hash`: of the lines' records, which follow the header's own line. */
const header = z.object({ mark: z.string(), hash: z.string(), types: z.array(z.string()) });

const noteOf = (logFile: string): string => `${logFile}.checked`;

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** `text`: what is true of a log until it changes. Null: it is small, or does not end in a newline. */
function markOf(logFile: string): { text: string; size: number } | null {
  const fd = openSync(logFile, "r");
  try {
    const { size, mtimeMs } = fstatSync(fd);
    if (size < largeBytes) return null;
    const tail = Buffer.alloc(tailBytes);
    const read = readSync(fd, tail, 0, tailBytes, size - tailBytes);
    if (tail[read - 1] !== newline) return null;
    return { text: `${size} ${mtimeMs} ${hashOf(tail.subarray(0, read))}`, size };
  } finally {
    closeSync(fd);
  }
}

/** The lines of a log that has not changed since its note was written; null: it has to be read. */
export function readNote(logFile: string): LineTable | null {
  try {
    const note = readFileSync(noteOf(logFile));
    const end = note.indexOf(newline);
    const { mark, hash, types } = header.parse(JSON.parse(note.toString("utf8", 0, end)));
    const records = note.subarray(end + 1);
    const isSame = mark === markOf(logFile)?.text && hash === hashOf(records);
    return isSame ? { types, records } : null;
  } catch {
    return null;
  }
}

/**
 * Records that all lines of the log are entries. Writes nothing if it has other lines, such as
 * empty ones: then the next opening parses each line.
 */
export function writeNote(logFile: string, lines: () => readonly KnownLine[]): void {
  try {
    if (readNote(logFile)) return;
    const mark = markOf(logFile);
    removeNote(logFile);
    if (mark === null) return;
    const known = lines();
    if (known.reduce((sum, { bytes }) => sum + bytes, 0) !== mark.size) return;
    const { types, records } = toTable(known);
    const first = JSON.stringify({ mark: mark.text, hash: hashOf(records), types });
    const note = Buffer.concat([Buffer.from(`${first}\n`), records]);
    writeFileSync(noteOf(logFile), note, { mode: 0o600, flag: "wx" });
  } catch {
    // The log was removed, or the disk is full.
  }
}

export const removeNote = (logFile: string): void => rmSync(noteOf(logFile), { force: true });
