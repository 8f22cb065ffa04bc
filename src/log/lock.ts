import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { attempt, errorCode, parseJson } from "../base/guards.ts";
import { isRunning, processStart } from "../base/processes.ts";
import { LogError, logError, SessionInUse } from "./log-error.ts";

/** Content of a lock file. `started` is in kernel ticks; empty where `/proc` is missing. */
const holderSchema = z.object({ pid: z.number().int(), started: z.string() });

export type Lock = ReturnType<typeof acquireLock>;

/** Tries to replace a stale lock, and the milliseconds between two of them. */
const [maxTries, retryMs] = [100, 5];

/**
 * Acquires the writer lock of a log. A lock whose process has ended is replaced. Throws `LogError`
 * when it cannot be acquired, `SessionInUse` when a running process holds it.
 */
export function acquireLock(file: string) {
  const path = `${file}.lock`;
  const guard = `${path}.stale`;
  const own = JSON.stringify({ pid: process.pid, started: processStart(process.pid) });
  try {
    for (let tries = 0; !create(path, own); tries++) {
      const holder = findRunning(path);
      if (holder !== null)
        throw new SessionInUse(
          `The session is open in another mini-claude (process ${holder}). Close it first, or fork this session.`,
        );
      if (tries === maxTries)
        throw new LogError(`The lock ${path} cannot be replaced. Remove it and ${guard}.`);
      if (tries > 0) Bun.sleepSync(retryMs);
      // A file without content may have just been created.
      if (readText(path) !== "" || tries + 1 === maxTries) removeStale(path, guard);
    }
  } catch (error) {
    throw logError(`The session ${file} cannot be locked`, error);
  }
  /** False once another process holds the lock. Writing to the log reports why one cannot be read. */
  const isOurs = (): boolean => (attempt(() => readText(path), null) ?? own) === own;
  let isHeld = true;
  const release = (): void => {
    // On a read-only or missing disk the lock file stays, and is later found stale.
    if (isHeld && isOurs()) attempt(() => rmSync(path, { force: true }), undefined);
    isHeld = false;
  };
  return { release, isOurs };
}

/** The other process that has the log open for writing; null: none has. */
export function findHolder(file: string): number | null {
  const holder = findRunning(`${file}.lock`);
  return holder === process.pid ? null : holder;
}

/** One process at a time looks again and removes: a lock that replaced the stale one stays. */
function removeStale(path: string, guard: string): void {
  if (!create(guard, "")) return;
  try {
    if (findRunning(path) === null) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

/** The running process that a lock names. */
function findRunning(path: string): number | null {
  const holder = holderSchema.safeParse(parseJson(readText(path) ?? "")).data;
  return holder && isRunning(holder) ? holder.pid : null;
}

const readText = (path: string): string | null =>
  unless("ENOENT", () => readFileSync(path, "utf8"));

const create = (path: string, text: string): boolean =>
  unless("EEXIST", () => writeFileSync(path, text, { mode: 0o600, flag: "wx" })) !== null;

/** Null when it fails with this code. */
function unless<T>(code: string, act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (errorCode(error) === code) return null;
    throw error;
  }
}
