/** A token is renewed by one process at a time: a refresh token is often good for only one use. */

import { rmSync, statSync, writeFileSync } from "node:fs";
import { attempt } from "../protocol/attempt.ts";
import { errorCode } from "../protocol/guards.ts";

/** A lock older than this was left by a process that ended: renewing takes less time. */
const staleMs = 60_000;

const retryMs = 50;

/** Runs `work` while no other process renews tokens in this file. */
export async function renewAlone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.renewing`;
  while (!acquire(lock)) await Bun.sleep(retryMs);
  try {
    return await work();
  } finally {
    attempt(() => rmSync(lock, { force: true }), undefined);
  }
}

function acquire(lock: string): boolean {
  try {
    if (ageMs(lock) > staleMs) rmSync(lock, { force: true });
    writeFileSync(lock, "", { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    // If the lock file cannot be written at all, the work is done without one.
    return errorCode(error) !== "EEXIST";
  }
}

const ageMs = (lock: string): number => {
  const now = Date.now();
  return now - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? now);
};
