/** Search with ripgrep. */

import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { z } from "zod";
import { isCompiled } from "../../base/installed.ts";
import { errorMessage } from "../../base/in-words.ts";
import { ToolError } from "../tool.ts";
import {
  listPaths,
  maxFileBytes,
  type FoundFile,
  type SearchQuery,
  type FileRun,
  maxLines,
} from "./query.ts";

const places = ["/usr/bin/rg", "/usr/local/bin/rg", "/opt/homebrew/bin/rg"];

/**
 * The binary that a dependency ships for this system, or that lies beside the compiled program, or the
 * system's; null if there is none.
 */
export const findRipgrep = (): string | null =>
  shippedRipgrep() ?? places.find((path) => existsSync(path)) ?? null;

function shippedRipgrep(): string | null {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  const shipped = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`;
  try {
    if (isCompiled(import.meta.path)) {
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

/** A pattern for the files of a type, by ripgrep's own list; a type that it does not know is an extension. */
export async function globOfType(binary: string, type: string, at: SearchScope): Promise<string> {
  const list = await start([binary, "--type-list"], at).stdout.text();
  const line = list.split("\n").find((candidate) => candidate.startsWith(`${type}: `));
  if (line === undefined) return `*.${type.replace(/[^\w+-]/g, "?")}`;
  return `{${line.slice(type.length + 2).replaceAll(", ", ",")}}`;
}

/** Batches that are searched at the same time, while more files are looked for. */
const batchesAtOnce = Math.min(availableParallelism(), 12) + 1;

/**
 * ripgrep gets only files that our own walk found, and folders that hold nothing else: its own walk
 * would open endless ignore files, and files that must not be read. Throws `ToolError`.
 */
export function searchWith(binary: string) {
  return async function* search(query: SearchQuery): AsyncGenerator<FoundFile> {
    const started: StartedBatch[] = [];
    let isFirst = true;
    try {
      for await (const batch of batchesOf(query)) {
        if (query.signal.aborted) return;
        started.push(startBatch(binary, batch, query));
        // The first batch often has all lines that are wanted.
        if (isFirst || started.length >= batchesAtOnce) yield* readNext(started, query);
        isFirst = false;
      }
      // With nothing to search, the pattern can still be invalid.
      if (isFirst && !query.signal.aborted)
        started.push(startBatch(binary, { runs: [], ways: [] }, query));
      while (started.length > 0) yield* readNext(started, query);
    } finally {
      for (const { child } of started) child.kill();
    }
  };
}

type StartedBatch = { batch: Batch; child: ReturnType<typeof start> };

const nothing = "/dev/null";

function startBatch(binary: string, batch: Batch, query: SearchQuery): StartedBatch {
  // It opens what is named, whatever the size.
  const ways = batch.ways.filter((way) => isSearched(join(query.folder, way)));
  const command = [binary, ...ripgrepOptions(query), "--", ...(ways.length > 0 ? ways : [nothing])];
  return { batch, child: start(command, query) };
}

async function* readNext(started: StartedBatch[], query: SearchQuery): AsyncGenerator<FoundFile> {
  const next = started.shift();
  if (!next) return;
  const { batch, child } = next;
  const errors = child.stderr.text();
  let asked: ReadonlySet<string> | null = null;
  try {
    for await (const file of readFound(child.stdout, query)) {
      // In a folder that it was given, it may find other files.
      asked ??= new Set(batch.runs.flatMap(listPaths));
      if (asked.has(file.path) && isSearched(file.path)) yield file;
    }
  } finally {
    child.kill();
  }
  if ((await child.exited) === 2) refuseBadPattern(await errors);
}

type SearchScope = Pick<SearchQuery, "folder" | "signal">;

/** Throws `ToolError` when it does not run on this system. */
function start(command: string[], { folder, signal }: SearchScope) {
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
  } catch (error) {
    throw new ToolError(`ripgrep cannot be started (${errorMessage(error)}); use Bash with grep.`);
  }
}

const ripgrepOptions = (query: SearchQuery): string[] => [
  "--json",
  `--before-context=${query.before}`,
  `--after-context=${query.after}`,
  // That there is a match says enough.
  ...(query.onlyNames ? ["--max-count=1"] : []),
  // One thread, in our order.
  "--sort=path",
  "--max-depth=1",
  `--max-filesize=${maxFileBytes}`,
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
function isSearched(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && (there.isDirectory() || there.size <= maxFileBytes);
}

/** Bytes of paths for one process: well below what systems accept on a command line. */
const batchBytes = process.platform === "win32" ? 24 * 1024 : 256 * 1024;

/** Few enough that all processors have work until the end, enough that it is worth a process. */
const batchFiles = 8_000;

/** The first batch is small, so that the search begins soon; each is twice the one before it. */
const firstFiles = 1_000;

/** If lines are shown: often all of them are in the first files. */
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
      bytes += ways.reduce((sum, path) => sum + Buffer.byteLength(path) + 1, 0);
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
        file = { path: join(query.folder, decodeText(event.data.path)), lines: [], matches: 0 };
        wanted = Math.min(query.linesWanted(), maxLines);
      } else if (event?.type === "end") {
        file.matches = event.data.stats.matched_lines;
        if (event.data.binary_offset === null) yield file;
      } else if (event) addLines(file, event, wanted);
    }
  }
}

function addLines({ lines }: FoundFile, { type, data }: LinesEvent, wanted: number): void {
  const whole = decodeText(data.lines);
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

const decodeText = (data: z.infer<typeof bytesOrText>): string =>
  "text" in data ? data.text : data.bytes.toString("latin1");
