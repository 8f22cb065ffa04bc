/** Search with ripgrep. */

import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { isCompiled } from "../../base/installed.ts";
import { once } from "../../base/once.ts";
import { splitStream } from "../../base/split-stream.ts";
import { ToolError } from "../tool.ts";

const places = ["/usr/bin/rg", "/usr/local/bin/rg", "/opt/homebrew/bin/rg"];

/** The binary beside the compiled program, of the npm package, or of the system; null: none. */
export const findRipgrep = (): string | null =>
  [isCompiled(import.meta.path) ? besideProgram() : shipped(), ...places].find(
    (path) => path !== null && existsSync(path),
  ) ?? null;

const besideProgram = (): string =>
  join(dirname(process.execPath), process.platform === "win32" ? "rg.exe" : "rg");

const ripgrep = (): typeof import("@vscode/ripgrep") => require("@vscode/ripgrep");

const shipped = (): string | null => attempt(() => ripgrep().rgPath, null);

export type SearchQuery = SearchScope & {
  pattern: string;
  ignoreCase: boolean;
  /** A match may span lines. */
  multiline: boolean;
  /** Lines to show before and after each match. */
  before: number;
  after: number;
  /** The only file in the folder to search; null: all. */
  file: string | null;
  /** Options for the types of files to search. */
  types: readonly string[];
  isWanted(path: string): boolean;
  /** Only the names of matching files are needed. */
  onlyNames: boolean;
  /** Lines that are still needed; further ones are only counted. */
  linesWanted(): number;
};

/** `at`: offset of the first match in the line; null: a context line. */
type FoundLine = { line: number; text: string; at: number | null };

/** A file with its number of matching lines. `lines` are in order, at most `maxLines`. */
export type FoundFile = { path: string; lines: FoundLine[]; matches: number };

/** A larger file is not searched. */
export const maxFileBytes = 64 * 1024 * 1024;

/** Per file; further lines are only counted. */
const maxLines = 2000;

/** Folders of installed packages: skipped unless a .gitignore decides. */
const withoutDependencies =
  "node_modules bower_components vendor venv site-packages __pycache__ Pods"
    .split(" ")
    .map((name) => `--glob=!${name}/`);

/** `hidden`: files and folders whose name begins with a dot as well; `.git` never. */
type SearchScope = {
  folder: string;
  hidden: boolean;
  /** Includes ignored files, except installed packages. */
  ignored?: boolean;
  signal: AbortSignal;
};

/** Paths of the folder's files, without ignored files, hidden files and symlinks; grouped by folder. */
export async function* listFiles(
  binary: string | null,
  scope: SearchScope,
): AsyncGenerator<string> {
  const args = ["--files", "--null", "--sort=path", ...walkOptions(scope), "--", "./"];
  const { output, end } = start(binary, args, scope);
  try {
    for await (const name of splitStream(output, "\0"))
      // A name that is not UTF-8 cannot be opened by its text.
      if (!name.includes("\ufffd")) yield name.slice(2);
  } finally {
    await end();
  }
}

/**
 * The files in which ripgrep finds something, in order. Throws `ToolError`, for a pattern that is not valid,
 * too.
 */
export async function* search(
  binary: string | null,
  query: SearchQuery,
): AsyncGenerator<FoundFile> {
  const { file, types } = query;
  const args = [
    "--json",
    "--crlf",
    `--before-context=${query.before}`,
    `--after-context=${query.after}`,
    `--max-filesize=${maxFileBytes}`,
    // One match per file is enough.
    ...(query.onlyNames ? ["--max-count=1"] : []),
    // A file that is named is wanted, even with null bytes in it.
    ...(file === null ? [] : ["--text"]),
    ...(query.ignoreCase ? ["--ignore-case"] : []),
    ...(query.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...types,
    // In order, so that the first matches are always the same.
    "--sort=path",
    ...walkOptions(query),
    `--regexp=${query.pattern}`,
    "--",
    // Never the name alone: "-" would be the standard input.
    `./${file ?? ""}`,
  ];
  const { output, end } = start(binary, args, query);
  try {
    yield* readFound(output, query);
  } finally {
    await end();
  }
}

function walkOptions({ folder, hidden, ignored = false }: SearchScope): string[] {
  return [
    "--no-config",
    "--no-messages",
    "--no-ignore-dot",
    "--no-ignore-exclude",
    "--no-ignore-global",
    "--glob=!.git",
    ...(hidden ? ["--hidden"] : []),
    ...(ignored ? ["--no-ignore-vcs", ...withoutDependencies] : ruleOptions(folder)),
  ];
}

/** How the rules of .gitignore files apply, of those above a folder up to the top of its repository. */
function ruleOptions(folder: string): string[] {
  let hasRules = false;
  for (let at = folder; ; at = dirname(at)) {
    const rules = attempt(() => statSync(join(at, ".gitignore")), null);
    // ripgrep would not finish reading a pipe or a device.
    if (rules && !rules.isFile() && !rules.isDirectory())
      return ["--no-ignore-vcs", ...withoutDependencies];
    hasRules ||= rules?.isFile() === true;
    const isRepository = existsSync(join(at, ".git"));
    if (!isRepository && at !== dirname(at)) continue;
    return [
      ...(isRepository ? [] : ["--no-require-git"]),
      ...(hasRules ? [] : withoutDependencies),
    ];
  }
}

/** A hostile folder must not take all time and memory: a deep .gitignore may be an endless file. */
const maxSeconds = 120;
const limited = ["/bin/sh", "-c", 'ulimit -v 4000000 2>/dev/null; exec "$@"', "sh"];

const interrupted = "Interrupted before the search was complete.";

/** A search that takes longer may be waiting for a pipe. */
const patienceMs = 1_000;

/** A file with rules in which ripgrep would read for ever: its path in the folder. */
async function findBlocking(top: string, isOver: () => boolean): Promise<string | null> {
  const folders = [top];
  for (let at = folders.pop(); at !== undefined && !isOver(); at = folders.pop())
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && entry.name !== ".git") folders.push(path);
      if (!/^\.(?:git|rg|)ignore$/.test(entry.name) || entry.isFile()) continue;
      const stat = attempt(() => statSync(path), null);
      if (stat && !stat.isFile() && !stat.isDirectory()) return relative(top, path);
    }
  return null;
}

/**
 * Starts ripgrep in a folder. `end` stops it, and throws a `ToolError` when it was interrupted or
 * failed. Throws `ToolError` when it does not run on this system.
 */
function start(binary: string | null, args: string[], { folder, signal }: SearchScope) {
  const fail = (why: string): never => {
    throw new ToolError(`ripgrep ${why}; use Bash with grep or find.`);
  };
  if (binary === null) return fail("is not installed");
  if (signal.aborted) throw new ToolError(interrupted);
  const limit = AbortSignal.timeout(maxSeconds * 1000);
  const child = Bun.spawn([...(process.platform === "win32" ? [] : limited), binary, ...args], {
    cwd: folder,
    // None of our variables may change the results.
    env: {},
    stdin: "ignore",
    // Without our terminal, which a link to /dev/tty would read from.
    detached: true,
    stdout: "pipe",
    stderr: "pipe",
    signal: AbortSignal.any([signal, limit]),
  });
  const errors = child.stderr.text();
  let isRead = false;
  let blocking: string | null = null;
  const timer = setTimeout(async () => {
    blocking = await findBlocking(folder, () => isRead || child.killed);
    if (blocking !== null) child.kill();
  }, patienceMs);
  async function* read() {
    yield* child.stdout;
    isRead = true;
  }
  async function end(): Promise<void> {
    clearTimeout(timer);
    child.kill();
    if (blocking !== null)
      throw new ToolError(
        `${blocking} is a pipe or a device, which the search would wait for: remove it, search another folder, or use Bash with grep or find.`,
      );
    if (signal.aborted) throw new ToolError(interrupted);
    if (limit.aborted) fail(`did not finish in ${maxSeconds} s`);
    const code = await child.exited;
    if (!isRead || code === 0 || code === 1) return;
    const why = (await errors).trim();
    if (/regex|pattern|literal/i.test(why)) {
      const last = why.split("\n").at(-1) ?? "";
      throw new ToolError(
        `The pattern is not a valid regular expression (${last}); escape ( [ { . * + ?`,
      );
    }
    // 2 and no words: some files could not be read, which is not told one by one.
    if (code !== 2 || why !== "") fail(`cannot be run (${why.split("\n")[0]})`);
  }
  return { output: read(), end };
}

const messageSchema = once(() => {
  const bytesOrText = z.union([
    z.object({ text: z.string() }),
    z.object({ bytes: z.string().transform((coded) => Buffer.from(coded, "base64")) }),
  ]);
  return z.object({
    type: z.string(),
    data: z.object({
      path: bytesOrText,
      lines: bytesOrText.default({ text: "" }),
      line_number: z.number().default(0),
      submatches: z.array(z.object({ start: z.number() })).default([]),
      binary_offset: z.number().nullish(),
      stats: z.object({ matched_lines: z.number() }).optional(),
    }),
  });
});

type Message = z.infer<ReturnType<typeof messageSchema>>;

/** The wanted files with a match; binary ones are left out. */
async function* readFound(
  output: AsyncIterable<Uint8Array>,
  query: SearchQuery,
): AsyncGenerator<FoundFile> {
  let file: FoundFile = { path: "", lines: [], matches: 0 };
  let wanted = 0;
  for await (const line of splitStream(output)) {
    if (file.lines.length >= wanted && isAboutLines.test(line)) continue;
    const { data: message } = messageSchema().safeParse(JSON.parse(line));
    if (!message) continue;
    const { type, data } = message;
    if (type === "begin") {
      // A name that is not UTF-8 cannot be opened by its text.
      const path = "text" in data.path ? join(query.folder, data.path.text) : "";
      const isWanted = path !== "" && query.isWanted(path);
      file = { path: isWanted ? path : "", lines: [], matches: 0 };
      wanted = isWanted ? Math.min(query.linesWanted(), maxLines) : 0;
    } else if (type === "end") {
      file.matches = data.stats?.matched_lines ?? 0;
      if (data.binary_offset == null && file.path !== "") yield file;
    } else addLines(file, message, wanted);
  }
}

function addLines({ lines }: FoundFile, { type, data }: Message, wanted: number): void {
  const whole = "text" in data.lines ? data.lines.text : data.lines.bytes.toString("latin1");
  const startBytes = data.submatches[0]?.start ?? 0;
  const at = Buffer.from(whole).subarray(0, startBytes).toString().length;
  const texts = whole.replace(/\r?\n$/, "").split(/\r?\n/);
  for (const [index, text] of texts.slice(0, wanted - lines.length).entries()) {
    const start = index === 0 ? at : 0;
    lines.push({ line: data.line_number + index, text, at: type === "match" ? start : null });
  }
}

/** Match and context lines: most of the output, so lines that are only counted are not parsed. */
const isAboutLines = /^\{"type":"(?:match|context)"/;
