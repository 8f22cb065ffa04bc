import { openSync, closeSync, fstatSync, readSync } from "node:fs";
import type { Entry } from "../protocol/entry.ts";
import { logVersion, parseLine } from "./parse.ts";

export type ReadLog = {
  entries: Entry[];
  /** Bytes up to the end of the last whole line. */
  bytes: number;
  /** The piece of a line at the end that a crash tore; empty: none. */
  torn: string;
  /** What was wrong, a sentence each. */
  problems: string[];
  /** Written by a later version: must not be written to. */
  later: boolean;
};

const chunkBytes = 4 * 1024 * 1024;

/**
 * Reads a log, whatever state it is in: a damaged line is told of and passed over, a torn last one
 * too. Throws only when the file cannot be read at all.
 */
export function readLog(file: string): ReadLog {
  const result: ReadLog = { entries: [], bytes: 0, torn: "", problems: [], later: false };
  let number = 0;
  const rest = eachLine(file, (line, bytes) => {
    number++;
    result.bytes += bytes;
    if (line === "") return;
    const parsed = parseLine(line);
    if ("problem" in parsed) {
      result.problems.push(`${file}:${number} ${parsed.problem}; the line is passed over.`);
      return;
    }
    result.entries.push(parsed.entry);
    if (parsed.entry.type === "session" && parsed.entry.version > logVersion) result.later = true;
  });
  if (rest !== "") {
    result.torn = rest;
    result.problems.push(
      `${file}: the last line was torn off by a crash (${Buffer.byteLength(rest)} bytes that were never acknowledged); it is set aside.`,
    );
  }
  return result;
}

/**
 * Calls `take` with every whole line and its size in bytes, newline included; gives what stands
 * behind the last newline.
 */
export function eachLine(file: string, take: (line: string, bytes: number) => void): string {
  const fd = openSync(file, "r");
  try {
    const size = fstatSync(fd).size;
    const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(size, 1)));
    let rest: Buffer[] = [];
    for (let at = 0; ;) {
      const read = readSync(fd, chunk, 0, chunk.length, at);
      if (read === 0) break;
      at += read;
      let from = 0;
      for (
        let end = chunk.indexOf(10, from);
        end !== -1 && end < read;
        end = chunk.indexOf(10, from)
      ) {
        const piece = chunk.subarray(from, end);
        const line = rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
        take(line.toString("utf8"), line.length + 1);
        rest = [];
        from = end + 1;
      }
      if (from < read) rest.push(Buffer.from(chunk.subarray(from, read)));
    }
    return Buffer.concat(rest).toString("utf8");
  } finally {
    closeSync(fd);
  }
}
