/** Detects whether a file has changed since it was seen. */

import type { BigIntStats } from "node:fs";

/** For larger files, size and time of change are used instead: hashing would take seconds. */
export const maxHashedBytes = 64 * 1024 * 1024;

/** SHA-256 in hex. */
export const hashBytes = (bytes: Uint8Array): string =>
  Bun.CryptoHasher.hash("sha256", bytes, "hex");

/** For files larger than `maxHashedBytes`. */
export const hashOfStat = (stat: BigIntStats): string => `stat:${stat.size}:${stat.mtimeNs}`;
