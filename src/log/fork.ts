import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { EntryId } from "../protocol/entry.ts";
import { LogError, reasonOf } from "./log-error.ts";
import { eachLine } from "./lines.ts";
import { parseLine } from "./parse.ts";
import { readLog } from "./read.ts";
import { newSessionName } from "./store.ts";
import { pathTo } from "./tree.ts";

/**
 * A new session in `folder` that holds the path up to `at` of another one (null: up to its head),
 * line by line as it stands there, with the same ids. Gives the new file. The other session may be
 * open meanwhile. Throws `LogError`.
 */
export function forkLog(
  from: string,
  at: EntryId | null,
  folder: string,
  session: string = newSessionName(),
): string {
  const file = join(folder, `${session}.jsonl`);
  if (existsSync(file)) throw new LogError(`There is a session ${file} already.`);
  const part = `${file}.part`;
  try {
    const { entries, byId } = readLog(from);
    const end = at ?? entries.at(-1)?.id ?? null;
    if (end === null || !byId.has(end)) {
      throw new LogError(`There is no entry ${end ?? "at all"} in ${from} to fork from.`);
    }
    const wanted = new Set<EntryId>(pathTo(end, byId).map(({ id }) => id));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    copyLines(from, part, (line) => {
      const id = parseLine(line).entry?.id;
      // Of two lines with one id the first counts, as on reading.
      return id !== undefined && wanted.delete(id);
    });
    renameSync(part, file);
    return file;
  } catch (error) {
    if (error instanceof LogError) throw error;
    throw new LogError(`The session ${from} cannot be forked to ${file}: ${reasonOf(error)}.`, {
      cause: error,
    });
  } finally {
    rmSync(part, { force: true });
  }
}

function copyLines(from: string, to: string, isWanted: (line: string) => boolean): void {
  const fd = openSync(to, "w", 0o600);
  try {
    const take = (line: string): void => {
      if (!isWanted(line)) return;
      const bytes = Buffer.from(`${line}\n`);
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    };
    take(eachLine(from, take).toString("utf8"));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
