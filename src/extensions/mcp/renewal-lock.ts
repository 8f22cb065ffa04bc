/** A token is renewed by one process at a time: a refresh token is often good for only one use. */

import { Database, SQLiteError } from "bun:sqlite";
import { appendFileSync } from "node:fs";
import { attempt } from "../../base/guards.ts";

/** How long to wait for other processes, in milliseconds; renewing takes less time. */
const patienceMs = 15_000;

const retryMs = 50;

/**
 * Runs `work` while no other process renews tokens in this file, or once the wait is too long. The
 * lock is a file lock of the system, taken by SQLite: it is released when its process ends.
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

/** Throws when the file cannot be written; the work is then done without a lock. */
function open(file: string): Database {
  appendFileSync(file, "", { mode: 0o600 });
  return new Database(file);
}

function acquire(lock: Database): boolean {
  try {
    lock.run("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    // If the file cannot be locked at all, the work is done without a lock.
    return !(error instanceof SQLiteError && error.code === "SQLITE_BUSY");
  }
}
