import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { disk, makeFolder, publish, writeAllSync } from "../base/durable.ts";
import { LogError, logError } from "./log-error.ts";
import { formatEntry } from "./parse.ts";
import { pathTo, readLog } from "./read.ts";
import { newSessionName } from "./store.ts";

/**
 * Copies the path up to entry `at` (null: up to the head) of another session into a new session in
 * `folder`, with the same ids. Returns the new file. The other session may be open. Throws `LogError`.
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
    const content = readLog(from);
    if (content.entries.length === 0)
      throw new LogError(`The session ${from} is empty; there is nothing to fork.`);
    const head = at === null ? content.entries.at(-1) : content.byId.get(at);
    if (!head) throw new LogError(`There is no entry ${at} in ${from} to fork from.`);
    makeFolder(folder);
    writeEntries(part, pathTo(content, head));
    publish(part, file);
    return file;
  } catch (error) {
    throw logError(`The session ${from} cannot be forked to ${file}`, error);
  } finally {
    rmSync(part, { force: true });
  }
}

function writeEntries(file: string, entries: readonly Entry[]): void {
  const fd = openSync(file, "w", 0o600);
  try {
    for (const entry of entries) writeAllSync(fd, Buffer.from(formatEntry(entry)));
    disk.fsync(fd);
  } finally {
    closeSync(fd);
  }
}
