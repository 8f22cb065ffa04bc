import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { codeOf, LogError, reasonOf } from "./log-error.ts";

/** Who holds a log, as written in its lock file. `started`: in the kernel's ticks, where it tells. */
const holderSchema = z.object({ pid: z.number().int(), started: z.string(), host: z.string() });

type Holder = z.infer<typeof holderSchema>;

/**
 * Takes the one writer's place of a log. A lock whose process is gone is taken over. Throws
 * `LogError` when a living process holds it. Gives the function that lets go.
 */
export function takeLock(file: string): () => void {
  const path = `${file}.lock`;
  const own = JSON.stringify({
    pid: process.pid,
    started: startOf(process.pid),
    host: hostname(),
  } satisfies Holder);
  const mine = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(mine, own, { mode: 0o600, flag: "wx" });
    // A link is there as a whole or not at all, so that no lock is ever read half written.
    for (let attempt = 0; !link(mine, path); attempt++) {
      const text = readText(path);
      const holder = text === null ? null : parseHolder(text);
      if (holder && isAlive(holder)) throw new LogError(describe(holder, path));
      if (attempt > 20) throw new LogError(`The lock ${path} cannot be taken; remove that file.`);
      if (text !== null) putAside(path, text);
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

/** Whether another process has the log open for writing. */
export function isHeld(file: string): boolean {
  const text = readText(`${file}.lock`);
  const holder = text === null ? null : parseHolder(text);
  const own = holder?.pid === process.pid && holder.host === hostname();
  return holder !== null && !own && isAlive(holder);
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
  }
  // A file system without links.
  try {
    writeFileSync(to, readFileSync(from), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Takes a dead process's lock away. When another one was faster, what is moved is that one's new
 * lock, and goes back.
 */
function putAside(path: string, stale: string): void {
  const aside = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.stale`;
  try {
    renameSync(path, aside);
    if (readText(aside) !== stale) link(aside, path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

const describe = ({ pid, host }: Holder, path: string): string =>
  host === hostname()
    ? `The session is open in another mini-claude (process ${pid}). Leave that one first, or fork the session.`
    : `The session is open in a mini-claude on ${host} (process ${pid}). If it no longer runs, remove ${path}.`;

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
 * A process number is reused; together with the start time it is not. Of another machine's process
 * nothing can be known, so it counts as alive.
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

/** When the process started, in the kernel's own ticks; empty where /proc does not tell. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
