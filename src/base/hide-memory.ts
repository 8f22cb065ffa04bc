/** Keeps other programs of the user out of the memory of this process. */

import { dlopen } from "bun:ffi";
import { attempt } from "./guards.ts";

/** Names of the C library: glibc's, and musl's. */
const libraries = [
  "libc.so.6",
  `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`,
];

/** PR_SET_DUMPABLE of prctl(2); children have it again after their exec. */
const setDumpable = 4;

/**
 * Closes /proc/PID/environ and /proc/PID/mem of this process, where the keys are that it was started with, to all
 * but root. Linux.
 */
export function hideMemory(): void {
  if (process.platform !== "linux") return;
  const prctl = { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" } as const;
  for (const library of libraries) {
    const opened = attempt(() => dlopen(library, { prctl }), null);
    if (opened) return void opened.symbols.prctl(setDumpable, 0, 0, 0, 0);
  }
}
