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
import type { Entry } from "../protocol/entry.ts";
import { typeNamed } from "./parse.ts";

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

/**
 * What is known about an entry: the numbers in its id and in its parent's, which is 0 if it has
 * none.
 */
export type NumberedHeader = { number: number; parent: number; type: Entry["type"] };

/** `header`: null, if the line has to be parsed to know it. `bytes`: with the newline. */
export type KnownLine = { header: NumberedHeader | null; bytes: number };

/** Numbers of the id and of the parent, bytes of the line, place of the type in `types`, from 1. */
const record = { id: 0, parent: 4, bytes: 8, type: 12, size: 13 };

const most = 2 ** 32 - 1;

export type LineTable = { types: readonly string[]; records: Uint8Array };

export function toTable(lines: readonly KnownLine[]): LineTable {
  const records = new Uint8Array(lines.length * record.size);
  const view = new DataView(records.buffer);
  const types: string[] = [];
  for (const [index, { header, bytes }] of lines.entries()) {
    const at = index * record.size;
    view.setUint32(at + record.bytes, bytes, true);
    if (!header || header.number > most || header.parent > most) continue;
    if (!types.includes(header.type)) types.push(header.type);
    view.setUint32(at + record.id, header.number, true);
    view.setUint32(at + record.parent, header.parent, true);
    view.setUint8(at + record.type, types.indexOf(header.type) + 1);
  }
  return { types, records };
}

/** Calls `take` with every line, in order. Those of types that this program does not know are parsed. */
export function eachKnownLine(
  { types: names, records }: LineTable,
  take: (line: KnownLine) => void,
): void {
  const types = names.map(typeNamed);
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  for (let at = 0; at + record.size <= records.length; at += record.size) {
    const bytes = view.getUint32(at + record.bytes, true);
    const type = types[view.getUint8(at + record.type) - 1];
    const number = view.getUint32(at + record.id, true);
    const parent = view.getUint32(at + record.parent, true);
    take({ header: type === undefined ? null : { number, parent, type }, bytes });
  }
}
