/** Earlier prompts on disk. */

import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { parseJson } from "../../base/guards.ts";

const maxPrompts = 1_000;

/** Of a larger file only the last part is read, in bytes. */
const maxBytes = 1024 * 1024;

/** Earlier prompts on disk, one JSON string per line. The file is read once per session. */
export function promptHistory(file: string) {
  let prompts: Promise<string[]> | null = null;
  /** Oldest first. Empty when the file is missing or unreadable. */
  const load = (): Promise<string[]> => (prompts ??= read(file));
  return {
    load,
    /** Rejects when the file cannot be written; the prompt is remembered for this session anyway. */
    async save(prompt: string): Promise<void> {
      const earlier = await load();
      prompts = Promise.resolve([...earlier, prompt].slice(-maxPrompts));
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await appendFile(file, `${JSON.stringify(prompt)}\n`, { mode: 0o600 });
    },
  };
}

async function read(path: string): Promise<string[]> {
  try {
    const file = Bun.file(path);
    const start = Math.max(0, file.size - maxBytes);
    return parse(await file.slice(start).text()).slice(-maxPrompts);
  } catch {
    return [];
  }
}

/** Lines that are not a JSON string are skipped. */
const parse = (text: string): string[] =>
  text
    .split("\n")
    .map(parseJson)
    .filter((prompt) => typeof prompt === "string");
