/** Which test files run a line of the sources. */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "./sandbox.ts";

/** By source and line: the test files that run it. */
export type Coverage = ReadonlyMap<string, ReadonlyMap<number, ReadonlySet<string>>>;

/** Runs each test file by itself; names those that fail. What a test runs in another process is not seen. */
export async function measureCoverage(sandboxes: readonly Sandbox[], tests: Iterable<string>) {
  const coverage = new Map<string, Map<number, Set<string>>>();
  const failing = new Set<string>();
  const queue = [...tests];
  const measure = async (sandbox: Sandbox, test: string): Promise<void> => {
    const folder = join(sandbox.root, "coverage");
    const options = [
      "--timeout=60000",
      "--coverage",
      "--coverage-reporter=lcov",
      `--coverage-dir=${folder}`,
    ];
    const { code } = await sandbox.bun(["test", ...options, `./${test}`], 300_000);
    if (code !== 0) failing.add(test);
    let lines = new Map<number, Set<string>>();
    const report = join(folder, "lcov.info");
    for (const row of existsSync(report) ? readFileSync(report, "utf8").split("\n") : []) {
      const [kind, rest = ""] = [row.slice(0, 3), row.slice(3)];
      if (kind === "SF:") {
        lines = coverage.get(rest) ?? new Map();
        coverage.set(rest, lines);
      }
      const [line = 0, count = 0] = rest.split(",").map(Number);
      if (kind !== "DA:") continue;
      const tests = lines.get(line) ?? new Set();
      if (count > 0) tests.add(test);
      lines.set(line, tests);
    }
    rmSync(folder, { recursive: true, force: true });
  };
  await Promise.all(
    sandboxes.map(async (sandbox) => {
      for (let test = queue.shift(); test; test = queue.shift()) await measure(sandbox, test);
    }),
  );
  return { coverage, failing };
}

/** The test files that run a line, or the nearest counted line above it. */
export function testsOf(coverage: Coverage, file: string, line: number): ReadonlySet<string> {
  const lines = coverage.get(file);
  for (let at = line; lines && at > 0; at--) {
    const tests = lines.get(at);
    if (tests) return tests;
  }
  return new Set();
}

/** By test file: how many sources it runs. */
export function countSources(coverage: Coverage): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const lines of coverage.values())
    for (const test of new Set([...lines.values()].flatMap((tests) => [...tests])))
      counts.set(test, (counts.get(test) ?? 0) + 1);
  return counts;
}
