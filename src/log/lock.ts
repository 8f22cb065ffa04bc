import { randomBytes } from "node:crypto";
import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { disk } from "../base/durable.ts";
import { attempt, errorCode, parseJson } from "../base/guards.ts";
import { hasNoLinks, LogError, logError, SessionInUse } from "./log-error.ts";

/** Content of a lock file. `started` is in kernel ticks; empty where `/proc` is missing. */
const holderSchema = z.object({ pid: z.number().int(), started: z.string(), host: z.string() });

type Holder = z.infer<typeof holderSchema>;

export type Lock = {
  release(): void;
  /** False once another process has taken over, which can happen while this machine is suspended. */
  isOurs(): boolean;
};

/**
 * Acquires the writer lock of a log. A lock whose process has ended is replaced. Throws `LogError`
 * when it cannot be acquired, `SessionInUse` when a running process holds it.
 */
export function acquireLock(file: string): Lock {
  const path = `${file}.lock`;
  const own = JSON.stringify({
    pid: process.pid,
    started: readStart(process.pid),
    host: hostname(),
  } satisfies Holder);
  const mine = nameBeside(path);
  try {
    writeFileSync(mine, own, { mode: 0o600, flag: "wx" });
    // A link appears with its content, so a lock is never read half written.
    for (let attempt = 0; !link(mine, path); attempt++) {
      const text = readText(path);
      const holder = parseHolder(text);
      if (holder && isAlive(holder, path, () => statSync(mine).mtimeMs))
        throw new SessionInUse(describe(holder, path));
      if (attempt > 20)
        throw new LogError(`The lock ${path} cannot be replaced. Remove that file.`);
      if (text !== null) removeStale(path, text);
    }
  } catch (error) {
    throw logError(`The session ${file} cannot be locked`, error);
  } finally {
    attempt(() => rmSync(mine, { force: true }), undefined);
  }
  const stopHeartbeat = startHeartbeat(path, own);
  const release = (): void => {
    stopHeartbeat();
    if (!held.delete(release)) return;
    // On a disk that is read-only or gone by now it stays, and is found stale later.
    attempt(() => {
      if (readText(path) === own) rmSync(path, { force: true });
    }, undefined);
  };
  hold(release);
  // A lock that cannot be read is not another's: writing to the log will report what is wrong.
  return { release, isOurs: () => (attempt(() => readText(path), null) ?? own) === own };
}

/** Releases the locks that this process holds. */
const held = new Set<() => void>();
let isWatched = false;

/** A program that ends early leaves no lock either. */
function hold(release: () => void): void {
  held.add(release);
  if (isWatched) return;
  isWatched = true;
  process.on("exit", () => {
    for (const release of held) release();
  });
}

/** True when another process has the log open for writing. */
export const isHeld = (file: string): boolean => findHolder(file) !== null;

/**
 * The other process that has the log open for writing; null: none has. `isHere`: it runs on this
 * machine, so that its process id means something.
 */
export function findHolder(file: string): { pid: number; isHere: boolean } | null {
  const holder = parseHolder(readText(`${file}.lock`));
  if (holder === null) return null;
  const { pid, host } = holder;
  const isHere = host === hostname();
  if (isHere && pid === process.pid) return null;
  return isAlive(holder, `${file}.lock`, () => timeBeside(file)) ? { pid, isHere } : null;
}

/** The time of a file system, such as that of a server; ours where nothing can be written. */
function timeBeside(file: string): number {
  const probe = `${nameBeside(file)}.time`;
  try {
    writeFileSync(probe, "", { mode: 0o600, flag: "wx" });
    return statSync(probe).mtimeMs;
  } catch {
    return Date.now();
  } finally {
    attempt(() => rmSync(probe, { force: true }), undefined);
  }
}

/** A new name beside a file. */
const nameBeside = (file: string): string =>
  `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;

function link(from: string, to: string): boolean {
  try {
    disk.link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!hasNoLinks(error)) throw error;
  }
  try {
    writeFileSync(to, readFileSync(from), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes a stale lock. If another process just replaced it, the new lock is put back. */
function removeStale(path: string, stale: string): void {
  const moved = `${nameBeside(path)}.stale`;
  try {
    disk.rename(path, moved);
    if (readText(moved) !== stale) link(moved, path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  } finally {
    rmSync(moved, { force: true });
  }
}

const describe = ({ pid, host }: Holder, path: string): string =>
  host === hostname()
    ? `The session is open in another mini-claude (process ${pid}). Close it first, or fork this session.`
    : `The session is open in a mini-claude on ${host} (process ${pid}). If that process has ended, try again in two minutes or remove ${path}.`;

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

/**
 * Process ids are reused, but not with the same start time. Where that cannot be known, as on another
 * machine, the heartbeat decides; `now` is the time of the lock's file system in milliseconds.
 */
function isAlive({ pid, started, host }: Holder, path: string, now: () => number): boolean {
  if (host !== hostname()) return isBeating(path, now());
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== "EPERM") return false;
  }
  const own = readStart(pid);
  return started === "" || own === "" ? isBeating(path, now()) : own === started;
}

/** Start time of a process in kernel ticks; empty where `/proc` is missing. */
function readStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")")).split(" ")[20] ?? "";
  } catch {
    return "";
  }
}

/** How often a holder touches its lock, and when a lock that is not touched counts as abandoned. */
const beatMs = 20_000;
const abandonedMs = 120_000;

/** Touches the lock file until the returned function is called, or until its content changes. */
export function startHeartbeat(path: string, own: string, everyMs: number = beatMs): () => void {
  const timer = setInterval(() => {
    if (!touch(path, own)) clearInterval(timer);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Writes the same bytes again, so that the time comes from the file system, not from our clock. */
function touch(path: string, own: string): boolean {
  try {
    if (readFileSync(path, "utf8") !== own) return false;
    const fd = openSync(path, "r+");
    writeSync(fd, own, 0);
    closeSync(fd);
    return true;
  } catch {
    // The disk may be full or unavailable for a while.
    return true;
  }
}

/**
 * True when the lock was touched recently; `nowMs` is the file system's time. A lock dated in the
 * future has not been touched since the clock was set back.
 */
export function isBeating(path: string, nowMs: number): boolean {
  const lock = statSync(path, { throwIfNoEntry: false });
  return lock !== undefined && Math.abs(nowMs - lock.mtimeMs) < abandonedMs;
}
