/** What tells whether a file is still the one that was seen. */

import type { BigIntStats } from "node:fs";

/** Above this a file's size and time of change stand for its bytes: hashing it would take seconds. */
export const hashedBytesAtMost = 64 * 1024 * 1024;

/** SHA-256 in hex. */
export const hashBytes = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** For files larger than `hashedBytesAtMost`. */
export const hashOfStat = (stat: BigIntStats): string => `stat:${stat.size}:${stat.mtimeNs}`;
