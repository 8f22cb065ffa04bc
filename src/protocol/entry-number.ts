import type { EntryId } from "./entry.ts";

/**
 * The number in an id; zero for an id in a form that this program does not assign. Parsed digit by
 * digit, because this runs for every entry of a log.
 */
export function numberOf(id: EntryId): number {
  if (!id.startsWith("e") || id[1] === "0" || id.length > 16) return 0;
  let number = 0;
  for (let at = 1; at < id.length; at++) {
    const digit = id.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return 0;
    number = number * 10 + digit;
  }
  return number;
}
