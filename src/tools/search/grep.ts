import { stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import { z } from "zod";
import { takeStart } from "../cut-text.ts";
import { sensitivityOf, type HomeFolders } from "../permission/sensitive.ts";
import { ToolError, type Tool } from "../tool.ts";
import type { WorkspacePath, Workspace } from "../workspace.ts";
import { lineOf, named } from "./glob.ts";
import type { FoundFile, SearchQuery } from "./matches.ts";
import { nameFilter } from "./name-filter.ts";
import { searchBuiltIn } from "./built-in.ts";
import { searchWith } from "./ripgrep.ts";

const input = z.strictObject({
  pattern: z.string().min(1).max(2000).describe("Regular expression, matched line by line."),
  path: z.string().min(1).optional().describe("File or folder; the workspace unless told."),
  glob: z.string().min(1).max(1000).optional().describe('Only files like this, such as "*.ts".'),
  ignore_case: z.boolean().optional(),
  context: z.number().int().min(0).max(20).optional().describe("Lines around each match."),
  limit: z
    .number()
    .int()
    .positive()
    .max(1000)
    .optional()
    .describe("Lines to show; 200 unless told."),
  output: z
    .enum(["lines", "files", "count"])
    .optional()
    .describe("lines: path:line:text. files: paths only. count: matching lines by file."),
});

type Input = z.infer<typeof input>;

const lineCharsAtMost = 500;

export type GrepOptions = { workspace: Workspace; folders: HomeFolders; ripgrep: string | null };

/** Searches the text of files; by ripgrep where it is, else ourselves, with the same results. */
export function grepTool({ workspace, folders, ripgrep }: GrepOptions): Tool<Input> {
  const search = ripgrep === null ? searchBuiltIn : searchWith(ripgrep);
  return {
    name: "grep",
    description:
      "Searches the text of files for a regular expression. Leaves out what .gitignore names, hidden " +
      "and binary files, symlinks, and files that may hold secrets. Says how much was left out " +
      "beyond the limit.",
    schema: input,
    readOnly: true,
    async intent({ pattern, path }) {
      const place = await workspace.locate(path ?? ".");
      return {
        access: { kind: "read", path: place.path },
        title: `Search ${pattern} in ${named(place)}`,
        detail: pattern,
        detailKind: "text",
      };
    },
    async run(query, { signal }) {
      const place = await workspace.locate(query.path ?? ".");
      const found = search(await queryOf(query, place, folders, signal));
      const report = new Report(query, (path) => lineOf(workspace.show(path)));
      for await (const file of found) report.add(file);
      if (signal.aborted) throw new ToolError("Interrupted before the search was complete.");
      return { content: [{ type: "text", text: report.text(named(place)) }] };
    },
  };
}

async function queryOf(
  query: Input,
  place: WorkspacePath,
  folders: HomeFolders,
  signal: AbortSignal,
): Promise<SearchQuery> {
  const there = await stat(place.path).catch(() => null);
  if (!there) throw new ToolError(`${place.shown} does not exist.`);
  if (!there.isFile() && !there.isDirectory()) {
    throw new ToolError(`${place.shown} is neither a file nor a folder.`);
  }
  if (/[\n\r]/.test(query.pattern)) {
    throw new ToolError("The pattern holds a line break; it is matched line by line.");
  }
  const filter = query.glob === undefined ? null : nameFilter(query.glob);
  const wants = (path: string): boolean => {
    if (path === place.path) return true;
    if (sensitivityOf(path, folders) === "secret") return false;
    return filter === null || filter.matches(relative(place.path, path).split(sep).join("/"));
  };
  return {
    pattern: query.pattern,
    ignoreCase: query.ignore_case ?? false,
    context: query.output === undefined || query.output === "lines" ? (query.context ?? 0) : 0,
    path: place.path,
    hidden: filter?.hidden ?? false,
    wants,
    signal,
  };
}

class Report {
  readonly #output: "lines" | "files" | "count";
  readonly #limit: number;
  readonly #context: boolean;
  readonly #show: (path: string) => string;
  readonly #lines: string[] = [];
  #files = 0;
  #matches = 0;
  #shownMatches = 0;

  constructor(query: Input, show: (path: string) => string) {
    this.#output = query.output ?? "lines";
    this.#limit = query.limit ?? 200;
    this.#context = (query.context ?? 0) > 0;
    this.#show = show;
  }

  add(file: FoundFile): void {
    const shown = this.#show(file.path);
    this.#files += 1;
    this.#matches += file.matches;
    if (this.#output === "lines") this.#addLines(shown, file);
    else if (this.#files <= this.#limit) {
      this.#lines.push(this.#output === "files" ? shown : `${shown}:${file.matches}`);
    }
  }

  text(where: string): string {
    if (this.#matches === 0) return `No match in ${where}.`;
    const left =
      this.#output === "lines"
        ? `${this.#matches - this.#shownMatches} more matching lines`
        : `${this.#files - this.#limit} more files`;
    const more =
      this.#output === "lines" ? this.#matches > this.#shownMatches : this.#files > this.#limit;
    const total = `${this.#matches} in ${this.#files} files`;
    return [
      ...this.#lines,
      ...(more ? [`[${left}, ${total} altogether. Narrow the search.]`] : []),
    ].join("\n");
  }

  #addLines(shown: string, file: FoundFile): void {
    let before: number | null = null;
    for (const { line, text, match } of file.lines) {
      if (this.#lines.length >= this.#limit) return;
      const gap = before === null ? this.#lines.length > 0 : line > before + 1;
      if (this.#context && gap) this.#lines.push("--");
      const mark = match ? ":" : "-";
      const cut = text.length > lineCharsAtMost ? " [line cut here]" : "";
      this.#lines.push(`${shown}${mark}${line}${mark}${takeStart(text, lineCharsAtMost)}${cut}`);
      if (match) this.#shownMatches += 1;
      before = line;
    }
  }
}
