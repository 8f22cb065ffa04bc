import { counted } from "../../base/format.ts";
import { stat } from "node:fs/promises";
import { existsSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { z } from "zod";
import { judgedPath, textOutput, type Tool } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import description from "./glob.md" with { type: "text" };
import { named, nameFilter, onOneLine, searchIntent } from "./query.ts";
import { listFiles } from "./ripgrep.ts";

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .describe('Such as "src/**/*.ts"; without a slash it matches names in any folder.'),
  path: z.string().min(1).optional().describe("Folder to search; the workspace by default."),
});

const maxShown = 500;

/** Finds files by name, sorted by path. */
export function globTool({
  workspace,
  ripgrep,
}: {
  workspace: Workspace;
  ripgrep: string | null;
}): Tool<z.infer<typeof input>> {
  return {
    name: "Glob",
    description,
    schema: input,
    readOnly: true,
    intent: (call) =>
      searchIntent("Find", { pattern: call.pattern, path: findStart(call, workspace) }, workspace),
    async run(call, run) {
      const { signal } = run;
      const target = workspace.at(judgedPath(run));
      const there = await stat(target.path).catch(() => null);
      if (there?.isFile()) return textOutput(onOneLine(target.shown));
      const pattern = relative(findStart(call, workspace), fullPattern(call, workspace));
      if (!there?.isDirectory()) return textOutput(nothing(call.pattern, "the workspace"));
      const { hidden, matches } = nameFilter(pattern, { isAnchored: true });
      const scope = { folder: target.path, hidden, signal };
      const found: string[] = [];
      for await (const file of listFiles(ripgrep, scope)) if (matches(file)) found.push(file);
      if (found.length === 0) return textOutput(nothing(call.pattern, named(target)));
      const shown = found
        .slice(0, maxShown)
        .map((file) => onOneLine(workspace.show(join(target.path, file))));
      const rest = found.length - shown.length;
      if (rest > 0) shown.push(`[${counted(rest, "more file")} match.]`);
      return textOutput(shown.join("\n"));
    },
  };
}

type GlobInput = z.infer<typeof input>;

const nothing = (pattern: string, where: string): string =>
  `No file matches ${pattern} in ${where}; ignored and hidden files are found only by name.`;

/** Absolute. A pattern without a slash matches in any folder. */
function fullPattern({ pattern, path = "." }: GlobInput, workspace: Workspace): string {
  const plain = pattern.replace(/^\.\//, "");
  if (isAbsolute(plain) || plain.startsWith("~/")) return workspace.absolute(plain);
  return join(workspace.absolute(path), plain.includes("/") ? plain : `**/${plain}`);
}

/** The folder before the first part with a wildcard; the file itself when there is none. */
function findStart(call: GlobInput, workspace: Workspace): string {
  const parts = fullPattern(call, workspace).split(sep);
  let start = parts[0] ?? "";
  for (const part of parts.slice(1)) {
    const next = `${start}${sep}${part}`;
    // A folder may be called `[slug]` or `{a,b}`.
    if (/[*?]/.test(part) || (/[[{]/.test(part) && !existsSync(next))) return start || sep;
    start = next;
  }
  return start;
}
