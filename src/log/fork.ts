import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EntryId } from "../protocol/entry.ts";
import { disk, makeFolder, publish, writeAllSync } from "../base/durable.ts";
import type { Place } from "./entry-table.ts";
import { FileWindow } from "./file-window.ts";
import { LogError, logError } from "./log-error.ts";
import { readLog } from "./read.ts";
import { newSessionName } from "./store.ts";

/**
 * Copies the path up to entry `at` (null: up to the head) of another session into a new session in
 * `folder`, line by line and with the same ids. Returns the new file. The other session may be open.
 * Throws `LogError`.
 */
export function forkLog(
  from: string,
  at: EntryId | null,
  folder: string,
  session: string = newSessionName(),
): string {
  const file = join(folder, `${session}.jsonl`);
  if (existsSync(file)) throw new LogError(`The session ${file} already exists.`);
  const part = `${file}.part`;
  try {
    const { table } = readLog(from).old;
    const head = at === null ? table.length - 1 : table.indexOf(at);
    if (head === undefined) throw new LogError(`There is no entry ${at} in ${from} to fork from.`);
    if (head < 0) throw new LogError(`The session ${from} is empty; there is nothing to fork.`);
    const places: Place[] = [];
    for (let index: number | null = head; index !== null; index = table.parentOf(index))
      places.push(table.placeOf(index));
    makeFolder(folder);
    copyLines(from, part, places.reverse());
    publish(part, file);
    return file;
  } catch (error) {
    throw logError(`The session ${from} cannot be forked to ${file}`, error);
  } finally {
    rmSync(part, { force: true });
  }
}

function copyLines(from: string, to: string, places: readonly Place[]): void {
  const window = new FileWindow(from);
  const fd = openSync(to, "w", 0o600);
  try {
    for (const place of places) {
      const line = window.bytes(place);
      writeAllSync(fd, line);
      // The last line of a log may lack its newline.
      if (line.at(-1) !== 10) writeAllSync(fd, Buffer.from("\n"));
    }
    disk.fsync(fd);
  } finally {
    closeSync(fd);
  }
}
