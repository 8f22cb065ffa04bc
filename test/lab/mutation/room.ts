/** The files of a room and the tests that cover them. */

import { parseSync } from "oxc-parser";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Tests of a room that are outside the folder of its name. */
const further: Record<string, string[]> = {
  agent: [
    "test/run/budget.test.ts",
    "test/run/folder.test.ts",
    "test/run/opening.test.ts",
    "test/run/subagents.test.ts",
  ],
  app: [
    "test/headless/headless.test.ts",
    "test/headless/known-shapes.test.ts",
    "test/headless/library",
    "test/trust/project/trust-question.test.ts",
  ],
  config: ["test/run/keys.test.ts"],
  extensions: ["test/commands/mcp"],
  protocol: [
    "test/config/settings-table.test.ts",
    "test/config/edit-settings.test.ts",
    "test/config/settings.test.ts",
    "test/log/read.test.ts",
  ],
  snapshots: ["test/tools/shell/undoable.test.ts"],
  tools: ["test/trust/sandbox/says-why.test.ts"],
};

const listFiles = (root: string, folder: string, pattern: string): string[] =>
  existsSync(join(root, folder))
    ? [...new Bun.Glob(pattern).scanSync(join(root, folder))].map((name) => join(folder, name))
    : [];

/** The sources of a room such as "log" or "trust". */
export const listSources = (root: string, room: string): string[] =>
  listFiles(root, join("src", room), "**/*.{ts,tsx}")
    .filter((file) => !file.endsWith(".d.ts"))
    .sort();

/** The test files of a room. */
export const listTests = (root: string, room: string): string[] =>
  [join("test", room), ...(further[room] ?? [])]
    .flatMap((path) =>
      path.endsWith(".ts") ? [path] : listFiles(root, path, "**/*.test.{ts,tsx}"),
    )
    .sort();

export const listAllTests = (root: string): string[] =>
  listFiles(root, "test", "**/*.test.{ts,tsx}").filter((file) => !file.startsWith("test/lab/"));

/**
 * The test files, those first that are likely to fail soon: the nearest, then fast ones that import
 * the source directly. `times`: how long each takes.
 */
export function likeliestFirst(
  root: string,
  times: ReadonlyMap<string, number>,
  source: string,
): string[] {
  const tests = [...times].map(([file, ms]) => ({ file, ms, far: distance(root, file, source) }));
  const [nearest, ...others] = tests.sort((a, b) => by(a.far, b.far) || by(a.ms, b.ms));
  others.sort((a, b) => by(a.ms * (1 + a.far), b.ms * (1 + b.far)));
  return [...(nearest ? [nearest] : []), ...others].map(({ file }) => file);
}

const by = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/**
 * The number of imports between two files; 0 for a test with the source's name, infinite if there
 * is no connection.
 */
function distance(root: string, from: string, to: string): number {
  if (bareName(from) === bareName(to)) return 0;
  const seen = new Set([from]);
  let ring = [from];
  for (let steps = 0; ring.length > 0; steps++) {
    if (ring.includes(to)) return steps;
    ring = ring.flatMap((file) => listImports(root, file)).filter((file) => !seen.has(file));
    for (const file of ring) seen.add(file);
  }
  return Number.POSITIVE_INFINITY;
}

const bareName = (file: string): string => basename(file).replace(/(?:\.test)?\.tsx?$/, "");

const known = new Map<string, string[]>();

function listImports(root: string, file: string): string[] {
  const path = join(root, file);
  const imports = known.get(path) ?? readImports(path, dirname(file));
  known.set(path, imports);
  return imports;
}

function readImports(path: string, folder: string): string[] {
  if (!/\.tsx?$/.test(path) || !existsSync(path)) return [];
  const { module } = parseSync(path, readFileSync(path, "utf8"));
  return [...module.staticImports, ...module.staticExports.flatMap(({ entries }) => entries)]
    .map(({ moduleRequest }) => moduleRequest?.value ?? "")
    .filter((name) => name.startsWith("."))
    .map((name) => join(folder, name));
}
