/** Earlier prompts on disk, and the files that a prompt can name. */

import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { saveText } from "../../config/json-file.ts";
import { parseJson } from "../../base/guards.ts";
import { systemClock } from "../../base/clock.ts";

const maxPrompts = 1_000;

/** A larger file is rewritten with the newest prompts; only this much of its end is ever read. */
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
      await appendFile(file, formatLine(prompt), { mode: 0o600 });
    },
  };
}

async function read(path: string): Promise<string[]> {
  try {
    const file = Bun.file(path);
    const start = Math.max(0, file.size - maxBytes);
    const prompts = parse(await file.slice(start).text()).slice(-maxPrompts);
    if (start > 0) shorten(path, prompts);
    return prompts;
  } catch {
    return [];
  }
}

/** Keeps half of the prompts, so that a long history is not rewritten every time. */
function shorten(path: string, prompts: readonly string[]): void {
  try {
    saveText(
      path,
      prompts
        .slice(prompts.length / 2)
        .map(formatLine)
        .join(""),
    );
  } catch {
    // It keeps its size.
  }
}

const formatLine = (prompt: string): string => `${JSON.stringify(prompt)}\n`;

/** Lines that are not a JSON string are skipped. */
const parse = (text: string): string[] =>
  text
    .split("\n")
    .map(parseJson)
    .filter((prompt) => typeof prompt === "string");

/** In a larger workspace only as many are offered. */
const maxFiles = 50_000;
const maxOffered = 50;

/** Below the library's default of 0.5, so that leaving out letters still finds a file. */
const minScore = 0.2;

/** The list is rebuilt when it is older than this. */
const freshMs = 10_000;

type WalkFiles = (signal: AbortSignal) => AsyncIterable<string>;

/** Completes the paths that `walk` yields, best match first. */
export function completeFiles(walk: WalkFiles): (query: string) => Promise<string[]> {
  let listed: { atMs: number; files: Promise<string[]> } | null = null;
  return async (query) => {
    if (!listed || systemClock.now() - listed.atMs > freshMs)
      listed = { atMs: systemClock.now(), files: list(walk) };
    const files = await listed.files;
    if (query === "") return files.slice(0, maxOffered);
    const { default: fuzzysort } = await import("fuzzysort");
    const found = fuzzysort.go(query, files, { limit: maxOffered, threshold: minScore });
    return found.map(({ target }) => target);
  };
}

async function list(walk: WalkFiles): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const path of walk(new AbortController().signal)) {
      files.push(path);
      if (files.length >= maxFiles) break;
    }
  } catch {
    // Those that were found are offered.
  }
  return files.sort();
}
