/** Search with ripgrep. */

import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join, relative, sep, basename } from "node:path";
import { z } from "zod";
import { ToolError } from "../tool.ts";
import { searchBuiltIn } from "./built-in.ts";
import { maxFileBytes, type FoundFile, type SearchQuery, type FileRun, maxLines } from "./query.ts";

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

/** It exists, even under a name that is not UTF-8, and is not too large. */
export function isSearched(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && there.size <= maxFileBytes;
}

export function askedFiles(runs: readonly FileRun[]) {
  const byFolder = Map.groupBy(runs, ({ folder }) => folder);
  /** The files of folders in which some were found; true: named one by one. */
  const names = new Map<string, ReadonlyMap<string, boolean>>();
  const find = (path: string): boolean | undefined => {
    const folder = dirname(path);
    let known = names.get(folder);
    if (known === undefined) {
      const inFolder = byFolder.get(folder) ?? [];
      known = new Map(inFolder.flatMap((run) => run.names.map((name) => [name, !run.isWhole])));
      names.set(folder, known);
    }
    return known.get(basename(path));
  };
  return {
    has: (path: string): boolean => find(path) !== undefined && isSearched(path),

    /** It was named, not found in a folder. */
    isNamed: (path: string): boolean => find(path) === true,
  };
}

/** Bytes of paths for one process: well below what systems accept on a command line. */
const batchBytes = process.platform === "win32" ? 24 * 1024 : 256 * 1024;

/** Few enough that all processors have work until the end, enough that it is worth a process. */
const batchFiles = 8_000;

/** The first batch is small, so that the search begins soon; each is twice the one before it. */
const firstFiles = 1_000;

/** If lines are shown: often all of them are in the first files, and the others are only counted. */
const firstShown = 250;

/** Files that are named one by one between two checks of their total size. */
const filesOfPiece = 50;

/** `ways`: its arguments, the paths relative to the folder of the search. */
export type Batch = { runs: FileRun[]; ways: string[] };

export async function* batchesOf(query: SearchQuery): AsyncGenerator<Batch> {
  const { folder, files } = query;
  let batch: Batch = { runs: [], ways: [] };
  let maxFiles = query.linesWanted() > 0 ? firstShown : firstFiles;
  let count = 0;
  let bytes = 0;
  for await (const run of files) {
    // Never the name alone: "-" would be the standard input.
    const way = run.folder === folder ? "." : `.${sep}${relative(folder, run.folder)}`;
    for (const piece of piecesOf(run)) {
      const ways = piece.isWhole ? [way] : piece.names.map((name) => way + sep + name);
      batch.runs.push(piece);
      batch.ways.push(...ways);
      count += piece.names.length;
      bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 0);
      if (count < maxFiles && bytes < batchBytes) continue;
      yield batch;
      batch = { runs: [], ways: [] };
      maxFiles = Math.min(2 * maxFiles, batchFiles);
      count = 0;
      bytes = 0;
    }
  }
  if (count > 0) yield batch;
}

/** Splits a folder that is too large for one process. */
function* piecesOf(run: FileRun): Generator<FileRun> {
  if (run.isWhole && run.names.length <= batchFiles) return yield run;
  for (let from = 0; from < run.names.length; from += filesOfPiece)
    yield { ...run, names: run.names.slice(from, from + filesOfPiece), isWhole: false };
}

const bytesOrText = z.union([
  z.object({ text: z.string() }),
  z.object({ bytes: z.string().transform((coded) => Buffer.from(coded, "base64")) }),
]);

const linesEvent = z.object({
  type: z.enum(["match", "context"]),
  data: z.object({
    lines: bytesOrText,
    line_number: z.number(),
    submatches: z.array(z.object({ start: z.number() })),
  }),
});

type LinesEvent = z.infer<typeof linesEvent>;

const message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), data: z.object({ path: bytesOrText }) }),
  linesEvent,
  z.object({
    type: z.literal("end"),
    data: z.object({
      binary_offset: z.number().nullable(),
      stats: z.object({ matched_lines: z.number() }),
    }),
  }),
]);

/** The files with a match; binary ones are left out. */
export async function* readFound(
  output: ReadableStream<Uint8Array>,
  query: SearchQuery,
): AsyncGenerator<FoundFile> {
  let file: FoundFile = { path: "", lines: [], matches: 0 };
  let wanted = 0;
  for await (const lines of linesOf(output)) {
    for (const line of lines) {
      if (file.lines.length >= wanted && isAboutLines.test(line)) continue;
      const { data: event } = message.safeParse(JSON.parse(line));
      if (event?.type === "begin") {
        file = { path: join(query.folder, textIn(event.data.path)), lines: [], matches: 0 };
        wanted = Math.min(query.linesWanted(), maxLines);
      } else if (event?.type === "end") {
        file.matches = event.data.stats.matched_lines;
        if (event.data.binary_offset === null) yield file;
      } else if (event) addLines(file, event, wanted);
    }
  }
}

function addLines({ lines }: FoundFile, { type, data }: LinesEvent, wanted: number): void {
  const whole = textIn(data.lines);
  const startBytes = data.submatches[0]?.start ?? 0;
  const at = Buffer.from(whole).subarray(0, startBytes).toString().length;
  const texts = whole.replace(/\r?\n$/, "").split(/\r?\n/);
  for (const [index, text] of texts.slice(0, wanted - lines.length).entries()) {
    const start = index === 0 ? at : 0;
    lines.push({ line: data.line_number + index, text, at: type === "match" ? start : null });
  }
}

/** These are most of the output, and are not parsed if they are only counted. */
const isAboutLines = /^\{"type":"(?:match|context)"/;

/** Lines, in groups as they arrive, without an incomplete last one. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      yield lines;
    } else rest += text;
  }
}

const textIn = (data: z.infer<typeof bytesOrText>): string =>
  "text" in data ? data.text : data.bytes.toString("latin1");
