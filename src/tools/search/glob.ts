import { counted } from "../../base/in-words.ts";
import { stat } from "node:fs/promises";
import { z } from "zod";
import { judgedPath, ToolError, type Tool } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import { pathsOf } from "./matches.ts";
import { nameFilter } from "./name-filter.ts";
import { lineOf, named, searchIntent } from "./search-target.ts";
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
    description:
      "Finds files by a pattern for their path, sorted by path. Skips ignored files, symlinks, and " +
      "hidden files unless the pattern names them.",
    schema: input,
    readOnly: true,
    intent: (call) => searchIntent("Find", call, workspace),
    async run({ pattern }, run) {
      const { signal } = run;
      const target = workspace.at(judgedPath(run));
      const there = await stat(target.path).catch(() => null);
      if (!there?.isDirectory()) throw new ToolError(`${target.shown} is not a folder.`);
      const { hidden, matches } = nameFilter(pattern);
      const wantsIn = (_: string, way: string) => (name: string) => matches(way + name);
      const shown: string[] = [];
      let found = 0;
      for await (const run of walkFiles(target.path, { hidden, signal, wantsIn })) {
        const first = { ...run, names: run.names.slice(0, Math.max(0, maxShown - found)) };
        shown.push(...pathsOf(first).map((file) => lineOf(workspace.show(file))));
        found += run.names.length;
      }
      if (signal.aborted) throw new ToolError("Interrupted before the search was complete.");
      if (found === 0) shown.push(`No file matches ${pattern} in ${named(target)}.`);
      if (found > maxShown) shown.push(`[${counted(found - maxShown, "more file")} match.]`);
      return { content: [{ type: "text", text: shown.join("\n") }] };
    },
  };
}
