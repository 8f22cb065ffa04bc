/** Files of other agents: JSON lines whose content is never trusted. Reading a value never throws. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { z } from "zod";
import { attempt, isRecord, isTooDeep } from "../../base/guards.ts";

const maxFileBytes = 256 * 1024 ** 2;

export type SourceFile = {
  path: string;
  /** Milliseconds since the epoch. */
  changedMs: number;
  bytes: number;
  /** Every line that is not empty; undefined for one that is not JSON. */
  lines(): IteratorObject<unknown, undefined>;
};

/**
 * Reads a file whole: what another program appends later is not seen. Throws when it is not a regular
 * file, is larger than 256 MB unpacked, or cannot be read.
 */
export function openSource(path: string): SourceFile {
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info) throw new Error("no such file or folder");
  // Opening a pipe would block until something is written to it.
  if (!info.isFile()) throw new Error("it is not a regular file");
  if (info.size > maxFileBytes) throw new Error("it is larger than 256 MB");
  const packed = readFileSync(path);
  const content = path.endsWith(".zst")
    ? zstdDecompressSync(packed, { maxOutputLength: maxFileBytes })
    : packed;
  const lines = content.toString("utf8").split("\n");
  return {
    path,
    changedMs: Math.trunc(info.mtimeMs),
    bytes: content.length,
    lines: () =>
      lines
        .values()
        .filter((line) => line.trim() !== "")
        .map(parseShallow),
  };
}

/**
 * Files with the extension .jsonl or .jsonl.zst below a folder; none where a folder cannot be read.
 * Links to folders are not followed, since they may form a cycle.
 */
export function findSourceFiles(folder: string): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return findSourceFiles(path);
    const isFile = entry.isFile() || entry.isSymbolicLink();
    return isFile && /\.jsonl(?:\.zst)?$/.test(entry.name) ? [path] : [];
  });
}

/** Undefined for a text that is invalid or nested too deep. */
export function parseShallow(text: string): unknown {
  const json: unknown = attempt(() => JSON.parse(text), undefined);
  return isTooDeep(json) ? undefined : json;
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

/** Milliseconds since the epoch, from ISO 8601 or a number; null for anything else. */
export function readTime(value: unknown): number | null {
  const date = new Date(typeof value === "string" || typeof value === "number" ? value : NaN);
  return Number.isNaN(date.getTime()) ? null : date.getTime();
}

/** The token count at a key of a record; zero for anything else. */
export function readCount(value: unknown, key: string): number {
  const count = isRecord(value) ? value[key] : 0;
  return typeof count === "number" && count >= 0 && count <= 1e10 ? Math.trunc(count) : 0;
}
