import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { attempt, errorCode, parseJson } from "../base/guards.ts";
import { processStart } from "../base/processes.ts";
import { LogError, logError, SessionInUse } from "./log-error.ts";

/** Content of a lock file. `started` is in kernel ticks; empty where `/proc` is missing. */
const holderSchema = z.object({ pid: z.number().int(), started: z.string() });

type Holder = z.infer<typeof holderSchema>;

export type Lock = {
  release(): void;
  /** False once another process holds the lock. */
  isOurs(): boolean;
};

/** A lock file without content for longer than this was left by a crash, not just created. */
const emptyMs = 5_000;

/**
 * Acquires the writer lock of a log. A lock whose process has ended is replaced. Throws `LogError`
 * when it cannot be acquired, `SessionInUse` when a running process holds it.
 */
export function acquireLock(file: string): Lock {
  const path = `${file}.lock`;
  const own = JSON.stringify({ pid: process.pid, started: processStart(process.pid) });
  try {
    for (let tries = 0; !create(path, own); tries++) {
      const text = readText(path);
      const holder = parseHolder(text);
      if (holder ? isAlive(holder) : isNew(path))
        throw new SessionInUse(
          `The session is open in another mini-claude (process ${holder?.pid ?? "unknown"}). Close it first, or fork this session.`,
        );
      if (tries > 20) throw new LogError(`The lock ${path} cannot be replaced. Remove that file.`);
      if (text !== null) removeStale(path, text);
    }
  } catch (error) {
    throw logError(`The session ${file} cannot be locked`, error);
  }
  const release = (): void => {
    if (!held.delete(release)) return;
    // On a disk that is read-only or gone by now it stays, and is found stale later.
    attempt(() => {
      if (readText(path) === own) rmSync(path, { force: true });
    }, undefined);
  };
  if (held.size === 0) process.once("exit", releaseAll);
  held.add(release);
  // Writing to the log reports why a lock cannot be read.
  return { release, isOurs: () => (attempt(() => readText(path), null) ?? own) === own };
}

/** Releases the locks that this process holds. */
const held = new Set<() => void>();
const releaseAll = (): void => held.forEach((release) => release());

/** The other process that has the log open for writing; null: none has. */
export function findHolder(file: string): number | null {
  const holder = parseHolder(readText(`${file}.lock`));
  return holder && holder.pid !== process.pid && isAlive(holder) ? holder.pid : null;
}

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes a stale lock. Only one process does so at a time: another's new lock is never removed. */
function removeStale(path: string, stale: string): void {
  const guard = `${path}.stale`;
  if (!create(guard, "")) {
    // It is removed where its process was killed.
    if (isNew(guard)) Bun.sleepSync(guardMs);
    else rmSync(guard, { force: true });
    return;
  }
  try {
    if (readText(path) === stale) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Milliseconds between two looks at another process that removes a stale lock. */
const guardMs = 5;

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

const parseHolder = (text: string | null): Holder | null =>
  holderSchema.safeParse(parseJson(text ?? "")).data ?? null;

/** Another process may have created the file and not yet written to it. */
const isNew = (path: string): boolean => {
  const lock = statSync(path, { throwIfNoEntry: false });
  return lock?.size === 0 && Math.abs(Date.now() - lock.mtimeMs) < emptyMs;
};

/** Process ids are reused, but not with the same start time. */
function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== "EPERM") return false;
  }
  const now = processStart(pid);
  return started === "" || now === "" || now === started;
}
