import { appendFileSync, fchmodSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../../base/guards.ts";
import { clip } from "../../base/clip.ts";
import { messageOf } from "../../base/in-words.ts";

/** Shorter values occur in ordinary text. */
const minSecretChars = 8;

export type DebugLog = ReturnType<typeof openDebugLog>;

/**
 * A readable log of what the program does, one event per line. Only the user can read it (0600).
 * Appends to the file, creating its folder. `secrets` never appear in it. Throws when the file cannot be
 * opened.
 */
export function openDebugLog(file: string, secrets: readonly string[], now = Date.now) {
  const hidden = secrets.filter((secret) => secret.length >= minSecretChars);
  // Open until the process ends: the last lines of a run that fails matter most.
  const fd = openPrivate(file);
  return {
    file,
    /** A full disk must not stop the program: what cannot be written is dropped. */
    write(topic: string, text: string): void {
      const clean = hidden
        .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text)
        .replace(/\p{Cc}+/gu, " ");
      const line = `${new Date(now()).toISOString()}  ${topic.padEnd(9)} ${clean}\n`;
      attempt(() => appendFileSync(fd, line), undefined);
    },
  };
}

function openPrivate(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fd = openSync(file, "a", 0o600);
    if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    throw new Error(`The debug log ${file} cannot be opened: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** "12,345" */
export const count = (value: number): string => Math.round(value).toLocaleString("en");

const maxExcerpt = 200;

/** The start of a long text. */
export const excerpt = (text: string): string => clip(text, maxExcerpt);
