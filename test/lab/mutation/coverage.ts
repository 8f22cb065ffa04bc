/** Which test files run a line of the sources. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "./sandbox.ts";

/** By source and line: the test files that run it. */
export type Coverage = ReadonlyMap<string, ReadonlyMap<number, ReadonlySet<string>>>;

/** Runs each test file by itself. What a test runs in another process is not seen. */
export async function measureCoverage(
  sandbox: Sandbox,
  tests: readonly string[],
): Promise<Coverage> {
  const coverage = new Map<string, Map<number, Set<string>>>();
  const folder = join(sandbox.root, "coverage");
  const options = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`];
  for (const test of tests) {
    await sandbox.bun(["test", ...options, `./${test}`], 300_000);
    let lines = new Map<number, Set<string>>();
    for (const row of readFileSync(join(folder, "lcov.info"), "utf8").split("\n")) {
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
  }
  rmSync(folder, { recursive: true, force: true });
  return coverage;
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
