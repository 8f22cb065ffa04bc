/** Reads untrusted values without ever throwing. */

import { z } from "zod";
import { attempt, isRecord, isTooDeep } from "../../base/guards.ts";

/** A JSON text whose strings are all well-formed; undefined when it is invalid or nested too deep. */
export function parseClean(text: string): unknown {
  // Only escapes can make half a character.
  const mayBeBroken = /\\u[dD][89a-fA-F]/.test(text);
  const json: unknown = attempt(() => JSON.parse(text, mayBeBroken ? clean : undefined), undefined);
  return isTooDeep(json) ? undefined : json;
}

function clean(_key: string, value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), item]));
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

const most = 8.64e15;

/** Milliseconds since the epoch, from ISO 8601 or a number; null for anything else. */
export function readTime(value: unknown): number | null {
  const ms =
    typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : NaN;
  return Number.isFinite(ms) && Math.abs(ms) <= most ? Math.trunc(ms) : null;
}

/** The token count at a key of a record; zero for anything else. */
export function readCount(value: unknown, key: string): number {
  const count = isRecord(value) ? value[key] : 0;
  return typeof count === "number" && count >= 0 && count <= 1e10 ? Math.trunc(count) : 0;
}
