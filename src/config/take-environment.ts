/** Keeps the keys where no other program of the user can read them. */

import type { Environment } from "../protocol/environment.ts";
import { namesOfKeys } from "./credentials.ts";

/**
 * The environment at the start. Its keys are removed from `process.env` and, on Linux, from the
 * memory that /proc shows, and other programs can no longer look into this one.
 */
export async function takeEnvironment(): Promise<Environment> {
  const env = { ...process.env };
  const names = namesOfKeys(env);
  if (process.platform === "linux") await sealProcess(names, env);
  for (const name of names) delete process.env[name];
  return env;
}

/** From <sys/prctl.h>. Without a dump, memory and environment need the rights of a debugger. */
const PR_SET_DUMPABLE = 4;

async function sealProcess(names: readonly string[], env: Environment): Promise<void> {
  try {
    const { dlopen, FFIType } = await import("bun:ffi");
    const { i32, ptr, u64, cstring } = FFIType;
    const { symbols } = dlopen("libc.so.6", {
      prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
      getenv: { args: [cstring], returns: ptr },
      memset: { args: [ptr, i32, u64], returns: ptr },
    });
    symbols.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    for (const name of names) {
      const value = symbols.getenv(Buffer.from(`${name}\0`));
      if (value !== null) symbols.memset(value, 0, Buffer.byteLength(env[name] ?? ""));
    }
  } catch {
    // Another libc. The keys are still kept from every command's environment.
  }
}
