import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EntryId } from "../protocol/entry.ts";
import { disk, makeFolder, publish, writeAllSync } from "../disk/durable.ts";
import { eachLine } from "./lines.ts";
import { LogError, logError } from "./log-error.ts";
import { parseLine } from "./parse.ts";
import { readLog } from "./read.ts";
import { newSessionName } from "./store.ts";
import { pathTo } from "./tree.ts";

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
    const { entries, old } = readLog(from);
    const end = at ?? entries.at(-1)?.id ?? null;
    if (end === null) throw new LogError(`The session ${from} is empty; there is nothing to fork.`);
    if (!old.has(end)) throw new LogError(`There is no entry ${end} in ${from} to fork from.`);
    const wanted = new Set<EntryId>(pathTo(end, entries).map(({ id }) => id));
    makeFolder(folder);
    copyLines(from, part, (line) => {
      const id = parseLine(line).entry?.id;
      // If two lines have the same id, the first counts, as in `readLog`.
      return id !== undefined && wanted.delete(id);
    });
    publish(part, file);
    return file;
  } catch (error) {
    throw logError(`The session ${from} cannot be forked to ${file}`, error);
  } finally {
    rmSync(part, { force: true });
  }
}

function copyLines(from: string, to: string, isWanted: (line: string) => boolean): void {
  const fd = openSync(to, "w", 0o600);
  try {
    const take = (bytes: Buffer): void => {
      const line = bytes.toString("utf8");
      if (isWanted(line)) writeAllSync(fd, Buffer.from(`${line}\n`));
    };
    take(eachLine(from, take));
    disk.fsync(fd);
  } finally {
    closeSync(fd);
  }
}
