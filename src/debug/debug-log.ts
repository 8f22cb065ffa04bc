import { appendFileSync, fchmodSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../protocol/attempt.ts";
import { clip } from "../protocol/clip.ts";
import { messageOf } from "../protocol/in-words.ts";

/** Shorter values occur in ordinary text. */
const minSecretChars = 8;

/** A readable log of what the program does, one event per line. Only the user can read it (0600). */
export class DebugLog {
  readonly file: string;
  /** Open until the process ends: the last lines of a run that fails matter most. */
  readonly #fd: number;
  readonly #secrets: readonly string[];
  readonly #now: () => number;

  /**
   * Appends to the file, creating its folder. `secrets` never appear in it. Throws when the file
   * cannot be opened.
   */
  constructor(file: string, secrets: readonly string[], now: () => number = Date.now) {
    this.file = file;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      this.#fd = openSync(file, "a", 0o600);
      if (fstatSync(this.#fd).isFile()) fchmodSync(this.#fd, 0o600);
    } catch (error) {
      throw new Error(`The debug log ${file} cannot be opened: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#secrets = secrets.filter((secret) => secret.length >= minSecretChars);
    this.#now = now;
  }

  /** A full disk must not stop the program: what cannot be written is dropped. */
  write(topic: string, text: string): void {
    const time = new Date(this.#now()).toISOString();
    const clean = this.#redact(text).replace(/\p{Cc}+/gu, " ");
    const line = `${time}  ${topic.padEnd(9)} ${clean}\n`;
    attempt(() => appendFileSync(this.#fd, line), undefined);
  }

  #redact(text: string): string {
    return this.#secrets.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
  }
}

/** "12,345" */
export const count = (value: number): string => Math.round(value).toLocaleString("en");

const maxExcerpt = 200;

/** The start of a long text. */
export const excerpt = (text: string): string => clip(text, maxExcerpt);
