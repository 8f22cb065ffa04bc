import { counted } from "../../base/in-words.ts";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { z } from "zod";
import { takeStart } from "../../base/clip.ts";
import { judgedPath, ToolError, type Tool } from "../tool.ts";
import type { HiddenIn } from "../permission/hidden-files.ts";
import type { Workspace, WorkspacePath } from "../workspace.ts";
import { maxFileBytes, type FileRun, type FoundFile, type SearchQuery } from "./matches.ts";
import { globOfType, nameFilter } from "./name-filter.ts";
import { searchBuiltIn } from "./built-in.ts";
import { searchWith } from "./ripgrep.ts";
import { lineOf, named, searchIntent } from "./search-target.ts";
import { walkFiles } from "./walk.ts";

const maxLineChars = 500;
const maxLinesOfOutput = 5000;

const around = z.number().int().min(0).max(50).optional();

const input = z.strictObject({
  pattern: z.string().min(1).max(2000).describe("Regular expression, matched line by line."),
  path: z.string().min(1).optional().describe("File or folder; the workspace by default."),
  glob: z.string().min(1).max(1000).optional().describe('Only matching files, such as "*.ts".'),
  type: z.string().min(1).max(40).optional().describe('Only files of this type, such as "py".'),
  output_mode: z.enum(["content", "files_with_matches", "count"]).optional(),
  "-A": around,
  "-B": around,
  "-C": around,
  "-i": z.boolean().optional(),
  "-n": z.boolean().optional().describe("Line numbers, on by default."),
  head_limit: z
    .number()
    .int()
    .min(0)
    .max(maxLinesOfOutput)
    .optional()
    .describe("Lines of output, 200 by default."),
  multiline: z.boolean().optional().describe("Let matches span lines and . match line breaks."),
});

type Input = z.infer<typeof input>;

type GrepOptions = {
  workspace: Workspace;
  /** Files that are left out because they may hold secrets, or by a rule. */
  hiddenIn: HiddenIn;
  ripgrep: string | null;
};

/**
 * Searches the text of files: with ripgrep if there is one, else by ourselves, with the same
 * results.
 */
export function grepTool({ workspace, hiddenIn, ripgrep }: GrepOptions): Tool<Input> {
  const search = ripgrep === null ? searchBuiltIn : searchWith(ripgrep);
  return {
    name: "Grep",
    description:
      "Searches the contents of files. Lists paths by default; output_mode content shows lines as " +
      "path:line:text. Skips ignored, hidden and binary files, symlinks, and files that may hold " +
      "secrets.",
    schema: input,
    readOnly: true,
    intent: (call) => searchIntent("Search", call, workspace),
    async run(query, run) {
      const { signal } = run;
      const target = workspace.at(judgedPath(run));
      const report = reportOf(query, (path) => lineOf(workspace.show(path)));
      const what = await queryOf(query, target, hiddenIn, signal);
      const found = search({ ...what, linesWanted: report.linesLeft });
      for await (const file of found) report.add(file);
      if (signal.aborted) throw new ToolError("Interrupted before the search was complete.");
      return { content: [{ type: "text", text: report.text(named(target)) }] };
    },
  };
}

async function queryOf(
  query: Input,
  target: WorkspacePath,
  hiddenIn: HiddenIn,
  signal: AbortSignal,
): Promise<Omit<SearchQuery, "linesWanted">> {
  const there = await stat(target.path).catch(() => null);
  if (!there) throw new ToolError(`${target.shown} does not exist.`);
  if (!there.isFile() && !there.isDirectory()) {
    throw new ToolError(`${target.shown} is neither a file nor a folder.`);
  }
  if (there.isFile() && there.size > maxFileBytes) {
    throw new ToolError(
      `${target.shown} has ${there.size} bytes; files above ${maxFileBytes} are not searched; use Bash.`,
    );
  }
  if (!query.multiline && /[\n\r]/.test(query.pattern)) {
    throw new ToolError(
      "The pattern contains a line break, but is matched line by line; set multiline.",
    );
  }
  const shows = query.output_mode === "content";
  return {
    pattern: query.pattern,
    ignoreCase: query["-i"] ?? false,
    multiline: query.multiline ?? false,
    before: shows ? (query["-B"] ?? query["-C"] ?? 0) : 0,
    after: shows ? (query["-A"] ?? query["-C"] ?? 0) : 0,
    ...(there.isFile() ? only(target.path) : filesIn(query, target.path, hiddenIn, signal)),
    signal,
  };
}

type Files = Pick<SearchQuery, "folder" | "files" | "hidden">;

function only(path: string): Files {
  const folder = dirname(path);
  async function* file(): AsyncGenerator<FileRun> {
    yield { folder, names: [basename(path)], isWhole: false };
  }
  return { folder, files: file(), hidden: true };
}

function filesIn(query: Input, folder: string, hiddenIn: HiddenIn, signal: AbortSignal): Files {
  const filter = query.glob === undefined ? null : nameFilter(query.glob);
  const type = query.type === undefined ? null : nameFilter(globOfType(query.type));
  const hidden = filter?.hidden ?? false;
  const filters = [filter, type].filter((one) => one !== null);
  const wantsIn = (path: string, way: string): ((name: string) => boolean) => {
    const isHidden = hiddenIn(path);
    if (filters.length === 0) return (name) => !isHidden(name);
    return (name) => filters.every(({ matches }) => matches(way + name)) && !isHidden(name);
  };
  return { folder, files: walkFiles(folder, { hidden, signal, wantsIn }), hidden };
}

function reportOf(query: Input, show: (path: string) => string) {
  const {
    output_mode: output = "files_with_matches",
    head_limit = 200,
    "-n": numbers = true,
  } = query;
  const limit = head_limit === 0 ? maxLinesOfOutput : head_limit;
  const hasContext = [query["-A"], query["-B"], query["-C"]].some((lines) => (lines ?? 0) > 0);
  const lines: string[] = [];
  let files = 0;
  let matches = 0;
  let shownMatches = 0;

  function addLines(file: FoundFile): void {
    if (lines.length >= limit) return;
    const shown = show(file.path);
    let before: number | null = null;
    for (const { line, text, match } of file.lines) {
      if (lines.length >= limit) return;
      const gap = before === null ? lines.length > 0 : line > before + 1;
      if (hasContext && gap) lines.push("--");
      const mark = match ? ":" : "-";
      const cut = text.length > maxLineChars ? " [line cut here]" : "";
      const prefix = numbers ? `${shown}${mark}${line}${mark}` : `${shown}${mark}`;
      lines.push(`${prefix}${takeStart(text, maxLineChars)}${cut}`);
      if (match) shownMatches += 1;
      before = line;
    }
  }

  return {
    /** How many lines of files it still shows. */
    linesLeft: (): number => (output === "content" ? Math.max(0, limit - lines.length) : 0),

    add(file: FoundFile): void {
      files += 1;
      matches += file.matches;
      if (output === "content") addLines(file);
      else if (files <= limit)
        lines.push(`${show(file.path)}${output === "count" ? `:${file.matches}` : ""}`);
    },

    text(where: string): string {
      if (matches === 0) return `No match in ${where}.`;
      const [left, what] =
        output === "content" ? [matches - shownMatches, "matching line"] : [files - limit, "file"];
      if (left <= 0) return lines.join("\n");
      const total = `${counted(matches, "matching line")} in ${counted(files, "file")}`;
      return [...lines, `[${counted(left, `more ${what}`)}; ${total} in all.]`].join("\n");
    },
  };
}
