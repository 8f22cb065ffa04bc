/** Search with ripgrep. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { z } from "zod";
import { ToolError } from "../tool.ts";
import { linesAtMost, type FoundFile, type SearchQuery } from "./matches.ts";
import { searchBuiltIn } from "./built-in.ts";

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

const bytesOrText = z.union([
  z.object({ text: z.string() }),
  z.object({ bytes: z.string().transform((coded) => Buffer.from(coded, "base64")) }),
]);

const message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), data: z.object({ path: bytesOrText }) }),
  z.object({
    type: z.enum(["match", "context"]),
    data: z.object({ lines: bytesOrText, line_number: z.number() }),
  }),
  z.object({ type: z.literal("end"), data: z.object({ binary_offset: z.number().nullable() }) }),
  z.object({ type: z.literal("summary") }),
]);

/** Bytes of paths for one process: well below what systems accept on a command line. */
const batchBytes = process.platform === "win32" ? 24 * 1024 : 256 * 1024;

/** Batches that are searched at the same time, while more files are looked for. */
const batchesAtOnce = 3;

/**
 * ripgrep gets only files that our own walk found: its own walk would open endless ignore files, and
 * files that must not be read.
 */
export function searchWith(binary: string) {
  return async function* search(query: SearchQuery): AsyncGenerator<FoundFile> {
    const started: StartedBatch[] = [];
    let isChecked = false;
    try {
      for await (const batch of batchesOf(query.files)) {
        isChecked = true;
        started.push(startBatch(binary, batch, query));
        if (started.length >= batchesAtOnce) yield* readNext(started, query);
      }
      // With nothing to search, the pattern can still be invalid.
      if (!isChecked) started.push(startBatch(binary, ["/dev/null"], query));
      while (started.length > 0) yield* readNext(started, query);
    } finally {
      for (const { child } of started) child?.kill();
    }
  };
}

async function* batchesOf(files: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for await (const file of files) {
    batch.push(file);
    bytes += Buffer.byteLength(file) + 1;
    if (bytes < batchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** `child`: null when it does not run on this system. */
type StartedBatch = { files: readonly string[]; child: ReturnType<typeof start> };

const startBatch = (
  binary: string,
  files: readonly string[],
  query: SearchQuery,
): StartedBatch => ({ files, child: start([binary, ...optionsOf(query), ...files], query.signal) });

async function* readNext(started: StartedBatch[], query: SearchQuery): AsyncGenerator<FoundFile> {
  const next = started.shift();
  if (next === undefined || query.signal.aborted) return next?.child?.kill();
  const { files, child } = next;
  if (child === null) return yield* searchBuiltIn({ ...query, files: each(files) });
  const errors = new Response(child.stderr).text();
  try {
    yield* readFound(child.stdout, query);
  } finally {
    child.kill();
  }
  if ((await child.exited) === 2) refuseBadPattern(await errors);
}

async function* each(files: readonly string[]): AsyncGenerator<string> {
  yield* files;
}

/** Null when it does not run on this system. */
function start(command: string[], signal: AbortSignal) {
  try {
    // An empty environment: none of our variables may change the results.
    const env = {};
    return Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe", signal });
  } catch {
    return null;
  }
}

const optionsOf = (query: SearchQuery): string[] => [
  "--json",
  "--sort=none",
  "--threads=1",
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

async function* readFound(
  output: ReadableStream<Uint8Array>,
  query: SearchQuery,
): AsyncGenerator<FoundFile> {
  let file: FoundFile | null = null;
  for await (const line of linesOf(output)) {
    if (query.signal.aborted) return;
    const parsed = message.safeParse(JSON.parse(line));
    if (!parsed.success) continue;
    const event = parsed.data;
    switch (event.type) {
      case "begin": {
        file = { path: textIn(event.data.path), lines: [], matches: 0 };
        break;
      }
      case "match":
      case "context": {
        if (file === null) break;
        const match = event.type === "match";
        const lines = textIn(event.data.lines)
          .replace(/\r?\n$/, "")
          .split(/\r?\n/);
        if (match) file.matches += lines.length;
        for (const [index, text] of lines.entries()) {
          if (file.lines.length >= linesAtMost) break;
          file.lines.push({ line: event.data.line_number + index, text, match });
        }
        break;
      }
      case "end":
        if (file && event.data.binary_offset === null) yield file;
        file = null;
        break;
      case "summary":
        break;
      default:
        event satisfies never;
    }
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

const textIn = (data: z.infer<typeof bytesOrText>): string =>
  "text" in data ? data.text : data.bytes.toString("latin1");

function refuseBadPattern(errors: string): void {
  const why = errors.trim().split("\n").at(-1) ?? "";
  if (!/regex|pattern|literal/i.test(errors)) return;
  throw new ToolError(`The pattern is not a regular expression (${why}); escape ( [ { . * + ?`);
}
