/** Processes of this machine, which may have ended and whose ids are used again. */

import { readFileSync, readlinkSync } from "node:fs";
import { attempt } from "./guards.ts";

/** When a process was started, in kernel ticks; empty where `/proc` is missing. */
export function processStart(pid: number): string {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"), "");
  return stat.slice(stat.lastIndexOf(")")).split(" ")[20] ?? "";
}

/** The namespace that process ids belong to; empty where `/proc` is missing. */
export const processSpace = (): string =>
  /\d+/.exec(attempt(() => readlinkSync("/proc/self/ns/pid"), ""))?.[0] ?? "";
