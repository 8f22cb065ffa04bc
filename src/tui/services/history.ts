import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { saveText } from "../../config/json-file.ts";
import { parseJson } from "../../protocol/guards.ts";

/** Prompts kept for the up key. */
const maxPrompts = 1_000;

/** A larger file is rewritten with the newest prompts; only this much of its end is ever read. */
const maxBytes = 1024 * 1024;

/** Earlier prompts on disk, one JSON string per line. The file is read once per session. */
export class PromptHistory {
  readonly #file: string;
  #prompts: Promise<string[]> | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Oldest first. Empty when the file is missing or unreadable. */
  load(): Promise<string[]> {
    return (this.#prompts ??= this.#read());
  }

  /** Rejects when the file cannot be written; the prompt is remembered for this session anyway. */
  async save(prompt: string): Promise<void> {
    const prompts = await this.load();
    this.#prompts = Promise.resolve([...prompts, prompt].slice(-maxPrompts));
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await appendFile(this.#file, lineOf(prompt), { mode: 0o600 });
  }

  async #read(): Promise<string[]> {
    try {
      const file = Bun.file(this.#file);
      const start = Math.max(0, file.size - maxBytes);
      const prompts = parse(await file.slice(start).text()).slice(-maxPrompts);
      if (start > 0) this.#shorten(prompts);
      return prompts;
    } catch {
      return [];
    }
  }

  /** Keeps half of what is read, so that a long history is not rewritten every time. */
  #shorten(prompts: readonly string[]): void {
    const lines: string[] = [];
    let bytes = 0;
    for (const line of prompts.map(lineOf).reverse()) {
      bytes += Buffer.byteLength(line);
      if (bytes > maxBytes / 2) break;
      lines.unshift(line);
    }
    try {
      saveText(this.#file, lines.join(""));
    } catch {
      // It keeps its size.
    }
  }
}

const lineOf = (prompt: string): string => `${JSON.stringify(prompt)}\n`;

/** Lines that are not a JSON string are skipped. */
const parse = (text: string): string[] =>
  text
    .split("\n")
    .map(parseJson)
    .filter((prompt) => typeof prompt === "string");
