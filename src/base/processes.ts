/** Processes of this machine, which may have ended and whose ids are used again. */

import { readFileSync, readlinkSync } from "node:fs";
import { attempt, errorCode } from "./guards.ts";

/** When a process was started, in kernel ticks; empty where `/proc` is missing. */
export function processStart(pid: number): string {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"), "");
  return stat.slice(stat.lastIndexOf(")")).split(" ")[20] ?? "";
}

/**
 * Whether a process runs that was started then. Process ids are reused, but not with the same start
 * time; where either time is unknown, the id decides.
 */
export function isRunning({ pid, started }: { pid: number; started: string }): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== "EPERM") return false;
  }
  const now = processStart(pid);
  return started === "" || now === "" || now === started;
}

/** The namespace that process ids belong to; empty where `/proc` is missing. */
export const processSpace = (): string =>
  /\d+/.exec(attempt(() => readlinkSync("/proc/self/ns/pid"), ""))?.[0] ?? "";
