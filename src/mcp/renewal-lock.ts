/** A token is renewed by one process at a time: a refresh token is often good for only one use. */

import { Database, SQLiteError } from "bun:sqlite";
import { appendFileSync } from "node:fs";
import { attempt } from "../protocol/attempt.ts";

/** How long others are waited for, in milliseconds; renewing takes less time. */
const patienceMs = 15_000;

const retryMs = 50;

/**
 * Runs `work` while no other process renews tokens in this file, or when another one takes too long.
 * The lock is the system's, as SQLite takes it: it ends with the process that holds it.
 */
export async function renewAlone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = attempt(() => open(`${file}.renewing`), null);
  try {
    const deadline = performance.now() + patienceMs;
    while (lock && !acquire(lock) && performance.now() < deadline) await Bun.sleep(retryMs);
    return await work();
  } finally {
    lock?.close();
  }
}

/** Throws when the file cannot be written: the work is done without a lock then. */
function open(file: string): Database {
  appendFileSync(file, "", { mode: 0o600 });
  return new Database(file);
}

function acquire(lock: Database): boolean {
  try {
    lock.run("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    // A file that cannot be locked stops nobody.
    return !(error instanceof SQLiteError && error.code === "SQLITE_BUSY");
  }
}
