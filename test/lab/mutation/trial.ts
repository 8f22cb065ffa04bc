/** Runs the tests against one mutant. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";
import { likeliestFirst } from "./room.ts";
import type { Sandbox } from "./sandbox.ts";

/** Not viable: it does not compile. */
export type Verdict = "killed" | "survived" | "not viable";

/** The duration of each test file in milliseconds. Throws when one fails without any mutant. */
export async function measureTimes(
  sandbox: Sandbox,
  tests: readonly string[],
): Promise<Map<string, number>> {
  const report = join(sandbox.root, "times.xml");
  const reporting = ["--reporter=junit", `--reporter-outfile=${report}`];
  const { code, output } = await sandbox.bun([...testing(tests), ...reporting], 1_800_000);
  if (code !== 0) throw new Error(`The tests fail without any mutant.\n${output}`);
  const suites = readFileSync(report, "utf8").matchAll(
    /<testsuite name="[^"]*" file="([^"]*)" tests="\d+" [^>]*? time="([\d.]+)"/g,
  );
  const times = new Map<string, number>();
  for (const [, file = "", seconds] of suites)
    times.set(file, Math.max(times.get(file) ?? 1, Math.ceil(Number(seconds) * 1_000)));
  return times;
}

/**
 * Runs the nearest test, then the others, until one fails. A run longer than `hangMs` and four
 * times its usual time has failed.
 */
export async function judge(
  sandbox: Sandbox,
  times: ReadonlyMap<string, number>,
  mutant: Mutant,
  hangMs: number,
): Promise<Verdict> {
  return sandbox.with(mutant, async () => {
    if ((await sandbox.bun(["check", `./${mutant.file}`], 300_000)).code !== 0) return "not viable";
    const [nearest, ...others] = likeliestFirst(sandbox.root, times, mutant.file);
    // One hanging test file must not take as long as all of them may.
    for (const files of [nearest ? [nearest] : [], others]) {
      if (files.length === 0) continue;
      const usualMs = files.reduce((sum, file) => sum + (times.get(file) ?? 0), 0);
      const { code } = await sandbox.bun(testing(files), hangMs + 4 * usualMs);
      if (code !== 0) return "killed";
    }
    return "survived";
  });
}

const testing = (files: readonly string[]): string[] => [
  "test",
  "--bail",
  "--timeout=60000",
  ...files.map((file) => `./${file}`),
];
