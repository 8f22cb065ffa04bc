/** Search with ripgrep. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { ToolError } from "../tool.ts";
import { batchesOf, type Batch } from "./batches.ts";
import { searchBuiltIn } from "./built-in.ts";
import { AskedFiles } from "./asked-files.ts";
import { fileBytesAtMost, type FileRun, type FoundFile, type SearchQuery } from "./matches.ts";
import { readCounts, readPaths } from "./ripgrep-counts.ts";
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
        started.push(startBatch(binary, batch, query));
        // The first batch tells whether the others have lines to show.
        const isFirst = !isChecked && query.linesWanted() > 0;
        isChecked = true;
        if (isFirst || started.length >= batchesAtOnce) yield* readNext(binary, started, query);
      }
      // With nothing to search, the pattern can still be invalid.
      if (!isChecked) started.push(startBatch(binary, { runs: [], ways: ["/dev/null"] }, query));
      while (started.length > 0) yield* readNext(binary, started, query);
    } finally {
      for (const { child } of started) child?.kill();
    }
  };
}

/** `child`: null when it does not run on this system. `isCount`: it prints no lines. */
type StartedBatch = {
  runs: readonly FileRun[];
  child: ReturnType<typeof start>;
  isCount: boolean;
};

function startBatch(binary: string, { runs, ways }: Batch, query: SearchQuery): StartedBatch {
  // Where a match spans lines, it would count matches instead of lines.
  const isCount = !query.multiline && query.linesWanted() === 0;
  const output = isCount ? ["--count", "--null", "--with-filename"] : linesOptions(query);
  const command = [binary, ...output, ...optionsOf(query), ...ways];
  return { runs, child: start(command, query), isCount };
}

async function* readNext(
  binary: string,
  started: StartedBatch[],
  query: SearchQuery,
): AsyncGenerator<FoundFile> {
  const next = started.shift();
  if (next === undefined || query.signal.aborted) return next?.child?.kill();
  const { runs, child, isCount } = next;
  if (child === null) return yield* searchBuiltIn({ ...query, files: each(runs) });
  const errors = new Response(child.stderr).text();
  const asked = new AskedFiles(runs);
  try {
    if (isCount) {
      const counted = await Array.fromAsync(readCounts(child.stdout, query));
      const found = counted.filter((file) => asked.has(file.path));
      const named = found.map(({ path }) => path).filter((path) => asked.isNamed(path));
      const binaries = await binariesOf(binary, named, query);
      yield* found.filter(({ path }) => !binaries.has(path));
    } else {
      for await (const file of readFound(child.stdout, query)) if (asked.has(file.path)) yield file;
    }
  } finally {
    child.kill();
  }
  if ((await child.exited) === 2) refuseBadPattern(await errors);
}

/** It counts in binary files that are named, and does not say that they are. */
async function binariesOf(
  binary: string,
  paths: readonly string[],
  query: SearchQuery,
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const ways = paths.map((path) => `.${sep}${relative(query.folder, path)}`);
  const options = ["--files-with-matches", "--null", "--text", "--no-config", "--no-messages"];
  const child = start([binary, ...options, String.raw`--regexp=\x00`, "--", ...ways], query);
  return new Set(child === null ? [] : await Array.fromAsync(readPaths(child.stdout, query)));
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

const linesOptions = ({ before, after }: SearchQuery): string[] => [
  "--json",
  `--before-context=${before}`,
  `--after-context=${after}`,
];

const optionsOf = (query: SearchQuery): string[] => [
  // One thread, in our order.
  "--sort=path",
  "--max-depth=1",
  ...(query.hidden ? ["--hidden"] : []),
  "--no-config",
  "--no-ignore",
  "--no-messages",
  "--crlf",
  `--max-filesize=${fileBytesAtMost}`,
  ...(query.ignoreCase ? ["--ignore-case"] : []),
  ...(query.multiline ? ["--multiline", "--multiline-dotall"] : []),
  `--regexp=${query.pattern}`,
  "--",
];

function refuseBadPattern(errors: string): void {
  const why = errors.trim().split("\n").at(-1) ?? "";
  if (!/regex|pattern|literal/i.test(errors)) return;
  throw new ToolError(`The pattern is not a regular expression (${why}); escape ( [ { . * + ?`);
}
