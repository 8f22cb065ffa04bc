/** Search with ripgrep. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { ToolError } from "../tool.ts";
import { batchesOf, type Batch } from "./batches.ts";
import { searchBuiltIn } from "./built-in.ts";
import { askedFiles, isSearched } from "./asked-files.ts";
import { maxFileBytes, type FoundFile, type SearchQuery } from "./matches.ts";
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
  const ripgrep: Ripgrep = { binary, asksSizes: process.platform !== "linux" };
  return async function* search(query: SearchQuery): AsyncGenerator<FoundFile> {
    const started: StartedBatch[] = [];
    let isChecked = false;
    try {
      for await (const batch of batchesOf(query)) {
        started.push(startBatch(ripgrep, batch, query));
        // The first batch tells whether the others have lines to show.
        const isFirst = !isChecked && query.linesWanted() > 0;
        isChecked = true;
        if (isFirst || started.length >= batchesAtOnce) yield* readNext(ripgrep, started, query);
      }
      // With nothing to search, the pattern can still be invalid.
      if (!isChecked) started.push(startBatch(ripgrep, { runs: [], ways: [nothing] }, query));
      while (started.length > 0) yield* readNext(ripgrep, started, query);
    } finally {
      for (const { child } of started) child?.kill();
    }
  };
}

/**
 * `asksSizes`: files that are too large are not opened. Checking every size takes a fifth of a
 * search in small files, so it starts only after a search has exceeded the limits that otherwise
 * replace it.
 */
type Ripgrep = { readonly binary: string; asksSizes: boolean };

/** Seconds of a processor, KB of memory: several times what a batch of small files takes. */
const limited = ["/bin/sh", "-c", 'ulimit -c 0; ulimit -t 2; ulimit -v 262144; exec "$0" "$@"'];

/** The same for a slow disk, in milliseconds. */
const limitMs = 5_000;

/**
 * `child`: null when it does not run on this system. `isCount`: it prints no lines. `isLimited`: it did
 * not ask for sizes.
 */
type StartedBatch = {
  batch: Batch;
  child: Child | null;
  isCount: boolean;
  isLimited: boolean;
};

const nothing = "/dev/null";

function startBatch(ripgrep: Ripgrep, batch: Batch, query: SearchQuery): StartedBatch {
  // Where a match spans lines, it would count matches instead of lines.
  const isCount = !query.multiline && query.linesWanted() === 0;
  const output = isCount ? ["--count", "--null", "--with-filename"] : linesOptions(query);
  const command = [ripgrep.binary, ...output, ...optionsOf(query)];
  if (!ripgrep.asksSizes) {
    const child = start([...limited, ...command, "--", ...batch.ways], query, limitMs);
    return { batch, child, isCount, isLimited: true };
  }
  // It opens what is named, whatever the size.
  const ways = batch.ways.filter((way) => isSearched(join(query.folder, way)));
  const sized = [...command, `--max-filesize=${maxFileBytes}`, "--"];
  const child = start([...sized, ...(ways.length > 0 ? ways : [nothing])], query);
  return { batch, child, isCount, isLimited: false };
}

async function* readNext(
  ripgrep: Ripgrep,
  started: StartedBatch[],
  query: SearchQuery,
): AsyncGenerator<FoundFile> {
  const next = started.shift();
  if (next === undefined || query.signal.aborted) return next?.child?.kill();
  const { batch, child, isLimited } = next;
  const read = new Set<string>();
  if (child !== null) {
    for await (const file of readBatch(ripgrep.binary, next, child, query)) {
      read.add(file.path);
      yield file;
    }
    if (!isLimited || query.signal.aborted || hasEnded(child)) return;
  } else if (!isLimited) {
    return yield* searchBuiltIn({ ...query, files: each(batch.runs) });
  }
  ripgrep.asksSizes = true;
  started.unshift(startBatch(ripgrep, batch, query));
  for await (const file of readNext(ripgrep, started, query)) if (!read.has(file.path)) yield file;
}

/** Ended by itself, whether or not it found something. */
const hasEnded = ({ exitCode }: Child): boolean => exitCode !== null && exitCode <= 2;

async function* readBatch(
  binary: string,
  { batch, isCount }: StartedBatch,
  child: Child,
  query: SearchQuery,
): AsyncGenerator<FoundFile> {
  const errors = child.stderr.text();
  const asked = askedFiles(batch.runs);
  try {
    if (isCount) {
      const counts = countsIn(await child.stdout.text(), query.folder);
      const found = counts.filter(({ path }) => asked.has(path));
      const named = found.map(({ path }) => path).filter(asked.isNamed);
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

/** What `--count --null` prints. Names may contain line breaks; a number without one is incomplete. */
const countsIn = (output: string, folder: string): FoundFile[] =>
  [...output.matchAll(/([^\0]+)\0(\d+)\r?\n/g)].map(([, name = "", matches]) => {
    return { path: join(folder, name), lines: [], matches: Number(matches) };
  });

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
  const names = child === null ? [] : (await child.stdout.text()).split("\0");
  return new Set(names.map((name) => join(query.folder, name)));
}

async function* each<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

type Child = NonNullable<ReturnType<typeof start>>;

/** Null when it does not run on this system. */
function start(command: string[], { folder, signal }: SearchQuery, timeout?: number) {
  try {
    return Bun.spawn(command, {
      cwd: folder,
      // None of our variables may change the results.
      env: {},
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      signal,
      ...(timeout !== undefined && { timeout }),
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
  ...(query.ignoreCase ? ["--ignore-case"] : []),
  ...(query.multiline ? ["--multiline", "--multiline-dotall"] : []),
  `--regexp=${query.pattern}`,
];

function refuseBadPattern(errors: string): void {
  const why = errors.trim().split("\n").at(-1) ?? "";
  if (!/regex|pattern|literal/i.test(errors)) return;
  throw new ToolError(
    `The pattern is not a valid regular expression (${why}); escape ( [ { . * + ?`,
  );
}
