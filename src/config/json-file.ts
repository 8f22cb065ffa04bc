/** Files of JSON in our own folder. */

import { closeSync, openSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { disk, makeFolder, publish, writeAllSync } from "../base/durable.ts";
import { attempt, errorCode, parseJson } from "../base/guards.ts";

/**
 * The content of a file; null when it does not exist. Throws the sentence `damaged` when the
 * content does not match the schema.
 */
export function readJson<T>(file: string, schema: z.ZodType<T>, damaged: string): T | null {
  const text = readIfThere(file);
  if (text === null) return null;
  const { success, data } = schema.safeParse(parseJson(text));
  if (success) return data;
  throw new Error(damaged);
}

/** Null when it does not exist. Throws the system's error. */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * Replaces a file of the user's that only they can read (0600). After a power loss it is either the
 * old file or the new one. Passes on errors of the disk.
 */
export const saveJson = (file: string, value: unknown): void =>
  saveText(file, `${JSON.stringify(value, null, 2)}\n`);

/** Where a symlink leads, though nothing may be there yet: links into dotfiles stay links. */
function followLink(file: string): string {
  const to = attempt(() => readlinkSync(file), null);
  return attempt(() => realpathSync(file), to === null ? file : resolve(dirname(file), to));
}

/** Saves a text atomically, through a link. */
export function saveText(link: string, text: string): void {
  const file = followLink(link);
  const part = `${file}.${process.pid}.part`;
  try {
    makeFolder(dirname(file));
    const fd = openSync(part, "w", 0o600);
    try {
      writeAllSync(fd, Buffer.from(text));
      disk.fsync(fd);
    } finally {
      closeSync(fd);
    }
    publish(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}
