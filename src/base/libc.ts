/** The system's C library, for what Bun has no function for. */

import { dlopen, type FFIFunction } from "bun:ffi";
import { attempt } from "./guards.ts";

const names = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

/** Null on a system with neither glibc nor musl. */
export const openLibc = <T extends Record<string, FFIFunction>>(functions: T) =>
  names
    .map((name) => attempt(() => dlopen(name, functions).symbols, null))
    .find((symbols) => symbols !== null) ?? null;
