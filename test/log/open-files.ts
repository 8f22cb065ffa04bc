import { readdirSync, readlinkSync } from "node:fs";

/** The paths of the files that this process has open. Empty where the system does not show them. */
export function openFiles(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}
