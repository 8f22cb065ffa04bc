import { counted } from "../../base/in-words.ts";
import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { z } from "zod";
import { judgedPath, textOutput, ToolError, type Tool } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import description from "./glob.md" with { type: "text" };
import { listPaths, named, nameFilter, onOneLine, searchIntent } from "./query.ts";
import { walkFiles } from "./walk.ts";

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
export function globTool({ workspace }: { workspace: Workspace }): Tool<z.infer<typeof input>> {
  return {
    name: "Glob",
    description: description.trim(),
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
      const filterNames = (_: string, way: string) => (name: string) => matches(way + name);
      const shown: string[] = [];
      let found = 0;
      for await (const run of walkFiles(target.path, {
        hidden,
        signal,
        filterNames: filterNames,
      })) {
        const first = { ...run, names: run.names.slice(0, Math.max(0, maxShown - found)) };
        shown.push(...listPaths(first).map((file) => onOneLine(workspace.show(file))));
        found += run.names.length;
      }
      if (signal.aborted) throw new ToolError("Interrupted before the search was complete.");
      if (found === 0) shown.push(nothing(call.pattern, named(target)));
      if (found > maxShown) shown.push(`[${counted(found - maxShown, "more file")} match.]`);
      return textOutput(shown.join("\n"));
    },
  };
}

type GlobInput = z.infer<typeof input>;

const nothing = (pattern: string, where: string): string =>
  `No file matches ${pattern} in ${where}; what is ignored or hidden is found only by its name.`;

/** Absolute. A pattern without a slash matches in any folder. */
function fullPattern({ pattern, path = "." }: GlobInput, workspace: Workspace): string {
  const plain = pattern.replace(/^\.\//, "");
  if (isAbsolute(plain) || plain.startsWith("~/")) return workspace.absolute(plain);
  return join(workspace.absolute(path), plain.includes("/") ? plain : `**/${plain}`);
}

/** The folder before the first part with a wildcard; the file itself when there is none. */
function findStart(call: GlobInput, workspace: Workspace): string {
  const full = fullPattern(call, workspace);
  const at = full.search(/[*?[{]/);
  return at === -1 ? full : dirname(`${full.slice(0, at)}x`);
}
