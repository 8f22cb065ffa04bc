/** Search with ripgrep. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { ToolError } from "../tool.ts";
import { batchesOf, type Batch } from "./batches.ts";
import { searchBuiltIn } from "./built-in.ts";
import type { FileRun, FoundFile, SearchQuery } from "./matches.ts";
import { readFound } from "./ripgrep-output.ts";

/**
 * The binary that a dependency ships for this system, or that lies beside the compiled program; null if
 * there is none.
 */
export function findRipgrep(): string | null {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  const shipped = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`;
  try {
    if (import.meta.url.includes("/$bunfs/")) {
      const beside = join(dirname(process.execPath), name);
      return existsSync(beside) ? beside : null;
    }
    const near = createRequire(createRequire(import.meta.url).resolve("@vscode/ripgrep"));
    const path = near.resolve(shipped);
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

/** Batches that are searched at the same time, while more files are looked for. */
const batchesAtOnce = Math.min(availableParallelism(), 12) + 1;

/**
 * ripgrep gets only files that our own walk found, and folders that hold nothing else: its own walk
 * would open endless ignore files, and files that must not be read.
 */
export function searchWith(binary: string) {
  return async function* search(query: SearchQuery): AsyncGenerator<FoundFile> {
    const started: StartedBatch[] = [];
    let isChecked = false;
    try {
      for await (const batch of batchesOf(query)) {
        isChecked = true;
        started.push(startBatch(binary, batch, query));
        if (started.length >= batchesAtOnce) yield* readNext(started, query);
      }
      // With nothing to search, the pattern can still be invalid.
      if (!isChecked) started.push(startBatch(binary, { runs: [], ways: ["/dev/null"] }, query));
      while (started.length > 0) yield* readNext(started, query);
    } finally {
      for (const { child } of started) child?.kill();
    }
  };
}

/** `child`: null when it does not run on this system. */
type StartedBatch = { runs: readonly FileRun[]; child: ReturnType<typeof start> };

const startBatch = (binary: string, { runs, ways }: Batch, query: SearchQuery): StartedBatch => ({
  runs,
  child: start([binary, ...optionsOf(query), ...ways], query),
});

async function* readNext(started: StartedBatch[], query: SearchQuery): AsyncGenerator<FoundFile> {
  const next = started.shift();
  if (next === undefined || query.signal.aborted) return next?.child?.kill();
  const { runs, child } = next;
  if (child === null) return yield* searchBuiltIn({ ...query, files: each(runs) });
  const errors = new Response(child.stderr).text();
  const asked = Map.groupBy(runs, ({ folder }) => folder);
  try {
    for await (const file of readFound(child.stdout, query)) {
      const name = basename(file.path);
      // Another file may have come into a folder meanwhile.
      if (asked.get(dirname(file.path))?.some(({ names }) => names.includes(name))) yield file;
    }
  } finally {
    child.kill();
  }
  if ((await child.exited) === 2) refuseBadPattern(await errors);
}

async function* each<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

/** Null when it does not run on this system. */
function start(command: string[], { folder, signal }: SearchQuery) {
  try {
    return Bun.spawn(command, {
      cwd: folder,
      // None of our variables may change the results.
      env: {},
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      signal,
    });
  } catch {
    return null;
  }
}

const optionsOf = (query: SearchQuery): string[] => [
  "--json",
  // One thread, in our order.
  "--sort=path",
  "--max-depth=1",
  ...(query.hidden ? ["--hidden"] : []),
  "--no-config",
  "--no-ignore",
  "--no-messages",
  "--crlf",
  "--max-filesize=64M",
  ...(query.ignoreCase ? ["--ignore-case"] : []),
  ...(query.multiline ? ["--multiline", "--multiline-dotall"] : []),
  `--before-context=${query.before}`,
  `--after-context=${query.after}`,
  `--regexp=${query.pattern}`,
  "--",
];

function refuseBadPattern(errors: string): void {
  const why = errors.trim().split("\n").at(-1) ?? "";
  if (!/regex|pattern|literal/i.test(errors)) return;
  throw new ToolError(`The pattern is not a regular expression (${why}); escape ( [ { . * + ?`);
}
