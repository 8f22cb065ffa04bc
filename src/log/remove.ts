import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeNote } from "./checked.ts";
import { LogError } from "./log-error.ts";
import { eachLine } from "./lines.ts";
import { acquireLock } from "./lock.ts";
import { parseLine } from "./parse.ts";
import { removeCache } from "./search-cache.ts";

/**
 * Deletes a session's log and the files beside it. Throws `LogError` when a process has it open.
 */
export function removeSession(file: string): void {
  if (!file.endsWith(".jsonl")) throw new LogError(`${file} is not a session log.`);
  const lock = acquireLock(file);
  try {
    rmSync(file, { force: true });
    rmSync(`${file}.torn`, { force: true });
    removeNote(file);
    removeCache(file);
  } finally {
    lock.release();
  }
}

/** Result files and checkpoint hashes that logs refer to. */
type References = { files: Set<string>; hashes: Set<string> };

/** References of all sessions of all projects; `root` has one folder per project. */
export function referencesIn(root: string): References {
  const found: References = { files: new Set(), hashes: new Set() };
  if (!existsSync(root)) return found;
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".jsonl")) collect(join(root, name), found);
  }
  return found;
}

function collect(file: string, found: References): void {
  const take = (bytes: Buffer): void => {
    const line = bytes.toString("utf8");
    // Parsing only lines that can hold a reference is ten times faster.
    if (!line.includes('"type":"checkpoint"') && !line.includes('"file":')) return;
    const { entry } = parseLine(line);
    if (entry?.type === "result" && entry.file !== undefined) found.files.add(entry.file);
    if (entry?.type !== "checkpoint") return;
    for (const { before, after } of entry.files) {
      if (before !== null) found.hashes.add(before);
      if (after !== null) found.hashes.add(after);
    }
  };
  take(eachLine(file, take));
}
