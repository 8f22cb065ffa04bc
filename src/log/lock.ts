import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { disk } from "./durable.ts";
import { codeOf, LogError, reasonOf } from "./log-error.ts";

/** Content of a lock file. `started` is in kernel ticks; empty where `/proc` is missing. */
const holderSchema = z.object({ pid: z.number().int(), started: z.string(), host: z.string() });

type Holder = z.infer<typeof holderSchema>;

/**
 * Acquires the writer lock of a log and returns the function that releases it. A lock whose process
 * has ended is replaced. Throws `LogError` when a running process holds it.
 */
export function acquireLock(file: string): () => void {
  const path = `${file}.lock`;
  const own = JSON.stringify({
    pid: process.pid,
    started: startOf(process.pid),
    host: hostname(),
  } satisfies Holder);
  const mine = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(mine, own, { mode: 0o600, flag: "wx" });
    // A link appears with its content, so a lock is never read half written.
    for (let attempt = 0; !link(mine, path); attempt++) {
      const text = readText(path);
      const holder = text === null ? null : parseHolder(text);
      if (holder && isAlive(holder)) throw new LogError(describe(holder, path));
      if (attempt > 20)
        throw new LogError(`The lock ${path} cannot be replaced. Remove that file.`);
      if (text !== null) removeStale(path, text);
    }
  } catch (error) {
    if (error instanceof LogError) throw error;
    throw new LogError(`The session ${file} cannot be locked: ${reasonOf(error)}.`, {
      cause: error,
    });
  } finally {
    rmSync(mine, { force: true });
  }
  let held = true;
  return () => {
    if (held && readText(path) === own) rmSync(path, { force: true });
    held = false;
  };
}

/** True when another process has the log open for writing. */
export function isHeld(file: string): boolean {
  const text = readText(`${file}.lock`);
  const holder = text === null ? null : parseHolder(text);
  const own = holder?.pid === process.pid && holder.host === hostname();
  return holder !== null && !own && isAlive(holder);
}

function link(from: string, to: string): boolean {
  try {
    disk.link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
  }
  // This file system has no links.
  try {
    writeFileSync(to, readFileSync(from), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes a stale lock. If another process just replaced it, the new lock is put back. */
function removeStale(path: string, stale: string): void {
  const moved = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.stale`;
  try {
    disk.rename(path, moved);
    if (readText(moved) !== stale) link(moved, path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  } finally {
    rmSync(moved, { force: true });
  }
}

const describe = ({ pid, host }: Holder, path: string): string =>
  host === hostname()
    ? `The session is open in another mini-claude (process ${pid}). Close it first, or fork this session.`
    : `The session is open in a mini-claude on ${host} (process ${pid}). If that process has ended, remove ${path}.`;

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function parseHolder(text: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Process ids are reused, but not with the same start time. A process on another machine cannot be
 * checked and counts as alive.
 */
function isAlive({ pid, started, host }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== "EPERM") return false;
  }
  const now = startOf(pid);
  return started === "" || now === "" || now === started;
}

/** Start time of a process in kernel ticks; empty where `/proc` is missing. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")")).split(" ")[20] ?? "";
  } catch {
    return "";
  }
}
