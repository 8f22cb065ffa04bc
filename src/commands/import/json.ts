/** Reads untrusted values without ever throwing. */

import { attempt, isRecord } from "../../base/guards.ts";
import { clip, takeStart } from "../../base/clip.ts";
import { sequence } from "../../base/to-terminal.ts";
import { z } from "zod";

export { isRecord, parseJson } from "../../base/guards.ts";

/** The JSON text of a value, however deeply it is nested. */
export function jsonText(value: unknown): string {
  return attempt(() => JSON.stringify(value) ?? "", "[nested too deep]");
}

/**
 * A field that becomes null when it is missing or of another type, so the rest stays usable. Most
 * are missing; the default handles that without creating an error for each one.
 */
export const maybe = <T extends z.ZodType>(schema: T) =>
  schema.nullable().prefault(null).catch(null);

/** A field that is validated later. */
export const anything = z.unknown().optional();

/** The types of most fields. */
export const text = maybe(z.string());
export const count = maybe(z.number());
export const flag = maybe(z.boolean());

const deepest = 100;

/**
 * A copy in which every string is well-formed; what is nested too deeply becomes text. Built from
 * entries, so that a key such as `__proto__` is just a key.
 */
function cleanValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= deepest) return takeStart(jsonText(value), 1_000);
  if (Array.isArray(value)) return value.map((element) => cleanValue(element, depth + 1));
  return cleanRecord(value, depth);
}

export function cleanRecord(value: object, depth = 0): { [key: string]: unknown } {
  return Object.fromEntries(
    Object.entries(value).map(([key, property]) => [
      key.toWellFormed(),
      cleanValue(property, depth + 1),
    ]),
  );
}

const most = 8.64e15;

/** Milliseconds since the epoch, from ISO 8601 or a number; null for anything else. */
export function readTime(value: unknown): number | null {
  const ms =
    typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : NaN;
  return Number.isFinite(ms) && Math.abs(ms) <= most ? Math.trunc(ms) : null;
}

/** The token count that a value is, or holds at these keys; zero for anything else. */
export function readCount(value: unknown, ...[key, ...keys]: string[]): number {
  if (key !== undefined) return isRecord(value) ? readCount(value[key], ...keys) : 0;
  return typeof value === "number" && value >= 0 && value <= 1e10 ? Math.trunc(value) : 0;
}

export const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : otherwise;

/** One printable line of untrusted text, cut to a length. */
export const cleanLine = (text: string, most = 80): string => {
  const line = text
    .slice(0, 4_000)
    .toWellFormed()
    .replace(sequence, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return clip(line, most);
};
