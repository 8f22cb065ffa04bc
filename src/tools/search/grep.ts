import { counted } from "../../base/format.ts";
import { stat } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import { z } from "zod";
import { upTo } from "../inputs.ts";
import { takeEnd, takeStart } from "../../base/clip.ts";
import { judgedPath, textOutput, ToolError, type Tool } from "../tool.ts";
import type { HiddenFilter } from "../../trust/files/sensitive.ts";
import { wayBelow, type Workspace, type WorkspacePath } from "../workspace.ts";
import description from "./grep.md" with { type: "text" };
import { named, nameFilter, onOneLine, searchIntent } from "./query.ts";
import { maxFileBytes, search, type FoundFile, type SearchQuery } from "./ripgrep.ts";

const maxLineChars = 500;
const maxLinesOfOutput = 5000;

const around = upTo(50, 0);
const text = z.string().min(1);

const input = z.strictObject({
  pattern: z.string().min(1).max(2000).describe("Regular expression, matched line by line."),
  path: text.optional().describe("File or folder; the workspace by default."),
  glob: text.max(1000).optional().describe('Only matching files, such as "*.ts".'),
  type: text.max(40).optional().describe('Only files of this type, such as "py".'),
  output_mode: z.enum(["content", "files_with_matches", "count"]).optional(),
  "-A": around,
  "-B": around,
  "-C": around,
  "-i": z.boolean().optional(),
  "-n": z.boolean().optional().describe("Line numbers, on by default."),
  head_limit: upTo(maxLinesOfOutput, 0).describe("Lines of output, 200 by default."),
  multiline: z.boolean().optional().describe("Let matches span lines and . match line breaks."),
  offset: z.number().int().min(0).optional().meta({ deprecated: true }),
});

type GrepInput = z.infer<typeof input>;

type GrepOptions = {
  workspace: Workspace;
  /** Files that are left out because they may hold secrets, or by a rule. */
  hiddenFilter: HiddenFilter;
  ripgrep: string | null;
};

/** Searches the text of files with ripgrep. */
export function grepTool({ workspace, hiddenFilter, ripgrep }: GrepOptions): Tool<GrepInput> {
  return {
    name: "Grep",
    description,
    schema: input,
    readOnly: true,
    intent: (call) => searchIntent("Search", call, workspace),
    async run(query, run) {
      const target = workspace.at(judgedPath(run));
      const look = async (asked: GrepInput, ignored = false): Promise<string | null> => {
        const report = makeReport(asked, (path) => onOneLine(workspace.show(path)));
        const what = await toQuery(asked, target, hiddenFilter, run.signal);
        for await (const file of search(ripgrep, {
          ...what,
          ignored,
          linesWanted: report.linesLeft,
        })) {
          report.add(file);
          if (report.isFull()) break;
        }
        return report.text();
      };
      const found = await look(query);
      if (found !== null) return textOutput(found);
      const left = query.glob === undefined ? null : await look(query, true);
      if (left !== null) return textOutput(`${onlyIgnored}\n${left}`);
      const pattern = query.pattern.replace(/\\([|(){}+?])/g, "$1");
      // In the syntax of grep, \| is an alternative.
      const again =
        pattern === query.pattern ? null : await look({ ...query, pattern }).catch(() => null);
      return textOutput(
        again === null
          ? `No match in ${named(target)}.`
          : `[No match for ${query.pattern}. This is for ${pattern}, in Rust's syntax:]\n${again}`,
      );
    },
  };
}

async function toQuery(
  query: GrepInput,
  target: WorkspacePath,
  hiddenFilter: HiddenFilter,
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
    onlyNames: (query.output_mode ?? "files_with_matches") === "files_with_matches",
    before: shows ? (query["-B"] ?? query["-C"] ?? 0) : 0,
    after: shows ? (query["-A"] ?? query["-C"] ?? 0) : 0,
    ...(there.isFile() ? only(target.path) : below(target.path, query, hiddenFilter)),
    signal,
  };
}

type Files = Pick<SearchQuery, "folder" | "file" | "hidden" | "types" | "isWanted">;

function only(path: string): Files {
  const [folder, file] = [dirname(path), basename(path)];
  return { folder, file, hidden: true, types: [], isWanted: () => true };
}

function below(folder: string, { glob, type }: GrepInput, hiddenFilter: HiddenFilter): Files {
  const filter = glob === undefined ? null : nameFilter(wayBelow(folder, glob) ?? glob);
  let isHidden: { folder: string; test: (name: string) => boolean } | null = null;
  return {
    folder,
    file: null,
    hidden: filter?.hidden ?? false,
    types: typeOptions(type, glob),
    isWanted(path) {
      if (filter?.matches(wayBelow(folder, path) ?? "") === false) return false;
      const parent = dirname(path);
      if (isHidden?.folder !== parent)
        isHidden = {
          folder: parent,
          test: hiddenFilter(parent.endsWith(sep) ? parent : parent + sep),
        };
      return !isHidden.test(basename(path));
    },
  };
}

/**
 * A type that ripgrep does not know is an extension; "all" is reserved in it. Without a type, a plain glob
 * saves it work.
 */
function typeOptions(type: string | undefined, glob = ""): string[] {
  if (type !== undefined && /^(?!all$)[\p{L}\p{N}]+$/u.test(type))
    return [`--type-add=${type}:*.${type}`, `--type=${type}`];
  const pattern = type === undefined ? glob : `*.${type.replace(/[^\w+-]/g, "?")}`;
  return /^[\w.*?+-]+$/.test(pattern) ? [`--type-add=wanted:${pattern}`, "--type=wanted"] : [];
}

/** Collects lines of output up to one beyond the limit, so that the report can say that there are more. */
function makeReport(query: GrepInput, show: (path: string) => string) {
  const { output_mode: output = "files_with_matches", head_limit = 200, offset = 0 } = query;
  const limit = (head_limit === 0 ? maxLinesOfOutput : head_limit) + offset;
  const { "-n": numbers = true } = query;
  const hasContext = [query["-A"], query["-B"], query["-C"]].some((lines) => (lines ?? 0) > 0);
  const lines: string[] = [];
  const isFull = (): boolean => lines.length > limit;

  function addLines(file: FoundFile): void {
    const shown = show(file.path);
    let before: number | null = null;
    let matches = 0;
    for (const { line, text: whole, at } of file.lines) {
      if (isFull()) return;
      const gap = before === null ? lines.length > 0 : line > before + 1;
      if (hasContext && gap) lines.push("--");
      const mark = at === null ? "-" : ":";
      const prefix = numbers ? `${shown}${mark}${line}${mark}` : `${shown}${mark}`;
      lines.push(`${prefix}${partAround(whole, at ?? 0)}`);
      before = line;
      if (at !== null) matches += 1;
    }
    if (!isFull() && matches < file.matches)
      lines.push(`[${counted(file.matches - matches, "more matching line")} in ${shown}]`);
  }

  return {
    isFull,

    /** How many lines of files it still takes. */
    linesLeft: (): number => (output === "content" ? Math.max(0, limit + 1 - lines.length) : 0),

    add(file: FoundFile): void {
      if (output === "content") addLines(file);
      else lines.push(`${show(file.path)}${output === "count" ? `:${file.matches}` : ""}`);
    },

    /** Null when nothing was found. */
    text(): string | null {
      if (lines.length === 0) return null;
      const shown = lines.slice(offset, limit);
      if (shown.length === 0) return `[There are only ${counted(lines.length, "line")} of output.]`;
      return isFull() ? [...shown, moreNote].join("\n") : shown.join("\n");
    },
  };
}

const onlyIgnored = "[Found only in files that .gitignore leaves out:]";

const moreNote = "[There is more. Narrow the search, or set head_limit.]";

/** The part of a long line that holds the match. */
function partAround(line: string, at: number): string {
  if (line.length <= maxLineChars) return line;
  const from = Math.max(0, Math.min(at - maxLineChars / 4, line.length - maxLineChars));
  const start = takeEnd(line, line.length - from);
  const part = takeStart(start, maxLineChars);
  const isEnd = part.length === start.length;
  const end = isEnd ? "" : ` [line cut here; it has ${line.length} characters]`;
  return `${from > 0 ? `[from character ${from + 1}] ` : ""}${part}${end}`;
}
