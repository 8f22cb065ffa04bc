/** The files of a room and the tests that hold them. */

import { parseSync } from "oxc-parser";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Tests of a room that are not in the folder of its name. */
const further: Record<string, string[]> = {
  cli: ["test/launch.test.ts"],
  "tools/permission": ["test/tools/sandbox"],
  debug: ["test/cli/debug.test.ts"],
  "apps/doctor": ["test/cli/doctor.test.ts"],
};

const filesIn = (root: string, folder: string, pattern: string): string[] =>
  existsSync(join(root, folder))
    ? [...new Bun.Glob(pattern).scanSync(join(root, folder))].map((name) => join(folder, name))
    : [];

/** The sources of a room such as "log" or "tools/permission". */
export const sourcesOf = (root: string, room: string): string[] =>
  filesIn(root, join("src", room), "**/*.{ts,tsx}")
    .filter((file) => !file.endsWith(".d.ts"))
    .sort();

/** The test files of a room. */
export const testsOf = (root: string, room: string): string[] =>
  [join("test", room), ...(further[room] ?? [])]
    .flatMap((path) => (path.endsWith(".ts") ? [path] : filesIn(root, path, "**/*.test.{ts,tsx}")))
    .sort();

/** The tests, those that import a source most directly first: they are the likeliest to fail. */
export function nearestFirst(root: string, tests: readonly string[], source: string): string[] {
  const distances = new Map(tests.map((test) => [test, distance(root, test, source)]));
  const isNearer = (a: string, b: string): boolean =>
    (distances.get(a) ?? 0) < (distances.get(b) ?? 0);
  return tests.toSorted((a, b) => Number(isNearer(b, a)) - Number(isNearer(a, b)));
}

/** Imports between two files; 0 for a test of that name, infinite when none leads to the other. */
function distance(root: string, from: string, to: string): number {
  if (nameOf(from) === nameOf(to)) return 0;
  const seen = new Set([from]);
  let ring = [from];
  for (let steps = 0; ring.length > 0; steps++) {
    if (ring.includes(to)) return steps;
    ring = ring.flatMap((file) => importsOf(root, file)).filter((file) => !seen.has(file));
    for (const file of ring) seen.add(file);
  }
  return Number.POSITIVE_INFINITY;
}

const nameOf = (file: string): string => basename(file).replace(/(?:\.test)?\.tsx?$/, "");

const known = new Map<string, string[]>();

function importsOf(root: string, file: string): string[] {
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
