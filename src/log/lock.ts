import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { LogError } from "./errors.ts";

/** Who holds a log, as written in its lock file. */
type Holder = { pid: number; started: string };

/**
 * Takes the one writer's place of a log. A lock whose process is gone is taken over. Throws
 * `LogError` when a living process holds it. Gives the function that lets go.
 */
export function takeLock(file: string): () => void {
  const path = `${file}.lock`;
  for (let attempt = 0; ; attempt++) {
    try {
      const fd = openSync(path, "wx", 0o600);
      writeSync(
        fd,
        JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Holder),
      );
      closeSync(fd);
      return () => {
        if (readHolder(path)?.pid === process.pid) unlinkSync(path);
      };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      const holder = readHolder(path);
      if (holder !== null && isAlive(holder)) {
        throw new LogError(
          `The session is open in another mini-claude (process ${holder.pid}). Leave that one first, or fork the session.`,
        );
      }
      if (attempt > 3)
        throw new LogError(`The lock ${path} cannot be taken; remove it if no mini-claude runs.`);
      try {
        unlinkSync(path);
      } catch {
        // Somebody else was faster; the next round tells who.
      }
    }
  }
}

/** Whether another process has the log open for writing. */
export function isHeld(file: string): boolean {
  const holder = readHolder(`${file}.lock`);
  return holder !== null && holder.pid !== process.pid && isAlive(holder);
}

function readHolder(path: string): Holder | null {
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (
      typeof json !== "object" ||
      json === null ||
      !("pid" in json) ||
      typeof json.pid !== "number"
    )
      return null;
    const started = "started" in json && typeof json.started === "string" ? json.started : "";
    return { pid: json.pid, started };
  } catch {
    return null;
  }
}

/** A process number is reused; together with the start time it is not. */
function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  return started === "" || startOf(pid) === "" || startOf(pid) === started;
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
