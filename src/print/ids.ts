/** UUIDs for messages, as Claude Code's clients expect them. */

import { createHash } from "node:crypto";
import type { Entry } from "../protocol/entry.ts";

/**
 * The UUID of an entry, or of one block of it: the same whenever it is printed, and in a fork of the
 * session.
 */
export function uuidOf({ id, at }: Pick<Entry, "id" | "at">, block = 0): string {
  const hash = createHash("sha256").update(`${id} ${at} ${block}`).digest("hex");
  const variant = "89ab"[Number.parseInt(hash.charAt(16), 16) % 4];
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `4${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}
