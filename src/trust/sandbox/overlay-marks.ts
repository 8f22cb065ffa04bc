/** The notes that the kernel's overlay file system makes on files, as extended attributes. */

import { FFIType } from "bun:ffi";
import { openLibc } from "../../base/libc.ts";

const { cstring, ptr, u64, i64, i32 } = FFIType;

const library = openLibc({
  lgetxattr: { args: [cstring, cstring, ptr, u64], returns: i64 },
  llistxattr: { args: [cstring, ptr, u64], returns: i64 },
  lremovexattr: { args: [cstring, cstring], returns: i32 },
});

const terminated = (path: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(path), Buffer.of(0)]);

const prefix = "user.overlay.";

const value = new Uint8Array(8);

/** Whether a folder stands in place of the one below it, instead of adding to it. */
export function isOpaque(folder: string | Buffer): boolean {
  const name = terminated(`${prefix}opaque`);
  return (
    Number(library?.lgetxattr(terminated(folder), name, value, value.length) ?? -1) > 0 &&
    value[0] === 0x79
  );
}

const names = new Uint8Array(64 * 1024);

/** Removes all notes: outside of the overlay they would mislead the next one. */
export function clearMarks(path: string | Buffer): void {
  const at = terminated(path);
  const length = Number(library?.llistxattr(at, names, names.length) ?? 0);
  if (length <= 0) return;
  for (const name of Buffer.from(names.subarray(0, length)).toString("latin1").split("\0"))
    if (name.startsWith(prefix)) library?.lremovexattr(at, terminated(name));
}
