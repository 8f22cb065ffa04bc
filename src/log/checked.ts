/** A note beside a large log: it was read whole, and every line was an entry that followed another. */

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

/** Smaller logs are read at once. */
const largeBytes = 1024 * 1024;

const tailBytes = 64 * 1024;

const noteOf = (logFile: string): string => `${logFile}.checked`;

/** What is true of a log until it changes. Null: it is small. */
function markOf(logFile: string): string | null {
  const fd = openSync(logFile, "r");
  try {
    const { size, mtimeMs } = fstatSync(fd);
    if (size < largeBytes) return null;
    const tail = Buffer.alloc(tailBytes);
    const read = readSync(fd, tail, 0, tailBytes, size - tailBytes);
    const hash = createHash("sha256").update(tail.subarray(0, read)).digest("hex");
    return `${size} ${mtimeMs} ${hash}\n`;
  } finally {
    closeSync(fd);
  }
}

/** Whether the log is as it was when it was noted. */
export function isChecked(logFile: string): boolean {
  try {
    return readFileSync(noteOf(logFile), "utf8") === markOf(logFile);
  } catch {
    return false;
  }
}

/** Notes that all lines of the log are entries. Without a note, the next opening parses each. */
export function noteChecked(logFile: string): void {
  try {
    const mark = markOf(logFile);
    removeNote(logFile);
    if (mark !== null) writeFileSync(noteOf(logFile), mark, { mode: 0o600, flag: "wx" });
  } catch {
    // The log was removed, or the disk is full.
  }
}

export const removeNote = (logFile: string): void => rmSync(noteOf(logFile), { force: true });
