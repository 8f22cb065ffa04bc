/** ripgrep as the searcher, told to see the same files as our own search. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { stat } from "node:fs/promises";
import { z } from "zod";
import { ToolError } from "../tool.ts";
import { linesAtMost, type FoundFile, type SearchQuery } from "./matches.ts";
import { searchBuiltIn } from "./built-in.ts";
import { hasPlainRules, repositoryOf, skippedFolders } from "./walk.ts";

/** The binary that a dependency ships for this system; null where there is none. */
export function findRipgrep(): string | null {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  const shipped = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`;
  try {
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

/** Longest time for one search, in milliseconds. */
const searchMs = 60_000;

export function searchWith(binary: string, limitMs = searchMs) {
  return async function* search(query: SearchQuery): AsyncGenerator<FoundFile> {
    const isFile = (await stat(query.path).catch(() => null))?.isFile() ?? false;
    const folder = isFile ? dirname(query.path) : query.path;
    if (!(await hasPlainRules(folder))) return yield* searchBuiltIn(query);
    const limit = AbortSignal.timeout(limitMs);
    const command = [
      binary,
      ...optionsOf(query, await repositoryOf(folder), isFile ? [] : await skippedFolders(folder)),
    ];
    const child = start(command, folder, AbortSignal.any([query.signal, limit]));
    if (child === null) return yield* searchBuiltIn(query);
    const errors = new Response(child.stderr).text();
    try {
      yield* readFound(child.stdout, folder, query);
    } finally {
      child.kill();
    }
    if (limit.aborted) {
      throw new ToolError("The search took too long and was stopped. Search in a smaller folder.");
    }
    if ((await child.exited) === 2) refuseBadPattern(await errors);
  };
}

/** Null when it does not run on this system. */
function start(command: string[], cwd: string, signal: AbortSignal) {
  try {
    // Nothing of our environment may change what is found.
    const env = {};
    return Bun.spawn(command, {
      cwd,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      signal,
    });
  } catch {
    return null;
  }
}

function optionsOf(
  query: SearchQuery,
  repository: string | null,
  skipped: readonly string[],
): string[] {
  return [
    "--json",
    "--sort=path",
    "--no-config",
    "--no-ignore-dot",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--no-messages",
    "--crlf",
    "--max-filesize=64M",
    "--glob=!.git",
    ...skipped.map((name) => `--glob=!${name}/`),
    ...(repository === null ? ["--no-require-git"] : []),
    ...(query.hidden ? ["--hidden"] : []),
    ...(query.ignoreCase ? ["--ignore-case"] : []),
    ...(query.multiline ? ["--multiline", "--multiline-dotall"] : []),
    `--before-context=${query.before}`,
    `--after-context=${query.after}`,
    `--regexp=${query.pattern}`,
    "--",
    query.path,
  ];
}

async function* readFound(
  output: ReadableStream<Uint8Array>,
  folder: string,
  query: SearchQuery,
): AsyncGenerator<FoundFile> {
  let file: FoundFile | null = null;
  for await (const line of linesOf(output)) {
    if (query.signal.aborted) return;
    const parsed = message.safeParse(JSON.parse(line));
    if (!parsed.success) continue;
    const told = parsed.data;
    switch (told.type) {
      case "begin": {
        const path = resolve(folder, textIn(told.data.path));
        file = query.wants(path) ? { path, lines: [], matches: 0 } : null;
        break;
      }
      case "match":
      case "context": {
        if (file === null) break;
        const match = told.type === "match";
        const lines = textIn(told.data.lines)
          .replace(/\r?\n$/, "")
          .split(/\r?\n/);
        if (match) file.matches += lines.length;
        for (const [index, text] of lines.entries()) {
          if (file.lines.length >= linesAtMost) break;
          file.lines.push({ line: told.data.line_number + index, text, match });
        }
        break;
      }
      case "end":
        if (file && told.data.binary_offset === null && file.matches > 0) yield file;
        file = null;
        break;
      case "summary":
        break;
      default:
        told satisfies never;
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
