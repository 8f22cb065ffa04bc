/** Makes files survive a power loss. Without these syncs a renamed file may come back empty. */

import {
  closeSync,
  fdatasync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  write,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { attempt } from "./guards.ts";

type Disk = {
  write(fd: number, bytes: Uint8Array, from: number, length: number): Promise<WriteResult>;
  writeSync(fd: number, bytes: Uint8Array, from: number, length: number): number;
  fdatasync(fd: number): Promise<void>;
  fsync(fd: number): void;
  fsyncTogether(fd: number): Promise<void>;
  rename(from: string | Buffer, to: string | Buffer): void;
};
type WriteResult = { bytesWritten: number };

/** System calls that durability depends on. An object, so tests can observe them and inject failures. */
export const disk: Disk = {
  write: promisify(write),
  writeSync,
  fdatasync: promisify(fdatasync),
  fsync: fsyncSync,
  fsyncTogether: promisify(fsync),
  rename: renameSync,
};

/** Creates a folder and its missing parents, durably. */
export function makeFolder(folder: string, mode = 0o700): void {
  const first = mkdirSync(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    syncFolder(dirname(made));
  }
}

/** Makes the names in a folder durable. Does nothing where folders cannot be synced. */
export function syncFolder(folder: string): void {
  attempt(() => {
    const fd = openSync(folder, "r");
    try {
      disk.fsync(fd);
    } finally {
      closeSync(fd);
    }
  }, undefined);
}

/** Gives a synced file its final name, durably. */
export function publish(part: string | Buffer, file: string | Buffer): void {
  disk.rename(part, file);
  syncFolder(dirname(file.toString()));
}

/** Like `publish`, without blocking, so that concurrent calls share one wait for the disk. */
export async function publishTogether(part: string | Buffer, file: string | Buffer): Promise<void> {
  disk.rename(part, file);
  const fd = attempt(() => openSync(dirname(file.toString()), "r"), null);
  if (fd === null) return;
  await disk
    .fsyncTogether(fd)
    .catch(() => undefined)
    .finally(() => closeSync(fd));
}

/** Appends all bytes, repeating partial writes. */
export async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += taken((await disk.write(fd, bytes, at, bytes.length - at)).bytesWritten);
  }
}

/** Synchronous `writeAll`. */
export function writeAllSync(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    at += taken(disk.writeSync(fd, bytes, at, bytes.length - at));
  }
}

function taken(bytes: number): number {
  if (bytes === 0) throw new Error("the disk accepted no more data");
  return bytes;
}
