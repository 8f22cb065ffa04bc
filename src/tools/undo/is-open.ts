/** Whether some program may still write to a file. */

import { FFIType, read } from "bun:ffi";
import { closeSync, constants, openSync } from "node:fs";
import { attempt } from "../../base/guards.ts";
import { openLibc } from "../../base/libc.ts";
import { rawOf, type RawPath } from "./look-at.ts";

const { i32, ptr } = FFIType;

const library = openLibc({
  fcntl: { args: [i32, i32, i32], returns: i32 },
  __errno_location: { args: [], returns: ptr },
});

/** Of fcntl(2) and errno(3) on Linux; not in `constants`. */
const [F_SETSIG, F_SETLEASE, F_RDLCK, EAGAIN] = [10, 1024, 0, 11];
const SIGURG = 23;

/**
 * True if the kernel refuses a read lease because somebody has the file open to write. False where it knows no
 * leases, and for links and files that we may not read.
 */
export function isOpenToWrite(path: RawPath): boolean {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = attempt(() => openSync(rawOf(path), flags), null);
  if (file === null || library === null) return false;
  try {
    // Whoever opens it while we hold the lease has the kernel send us a signal: one that is ignored.
    library.fcntl(file, F_SETSIG, SIGURG);
    if (library.fcntl(file, F_SETLEASE, F_RDLCK) !== -1) return false;
    const at = library.__errno_location();
    return at !== null && read.i32(at) === EAGAIN;
  } finally {
    closeSync(file);
  }
}
