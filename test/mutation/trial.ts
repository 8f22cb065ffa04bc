/** Puts a mutant to the test. */

import type { Mutant } from "./mutants.ts";
import { nearestFirst } from "./room.ts";
import type { Sandbox } from "./sandbox.ts";

/** Not viable: it does not compile, so nobody could ship it. */
export type Verdict = "killed" | "survived" | "not viable";

/** How long each test file takes without a mutant, in milliseconds. */
export type Baseline = ReadonlyMap<string, number>;

/** Throws when a test fails without any mutant. */
export async function baselineOf(sandbox: Sandbox, tests: readonly string[]): Promise<Baseline> {
  const baseline = new Map<string, number>();
  for (const test of tests) {
    const { code, output, ms } = await sandbox.bun(testing(test), 600_000);
    if (code !== 0) throw new Error(`${test} fails without any mutant.\n${output}`);
    baseline.set(test, ms);
  }
  return baseline;
}

/** Runs the tests until one fails. One that hangs has failed, too. */
export async function judge(
  sandbox: Sandbox,
  baseline: Baseline,
  mutant: Mutant,
  hangMs: number,
): Promise<Verdict> {
  return sandbox.with(mutant, async () => {
    if ((await sandbox.bun(["check", `./${mutant.file}`], 120_000)).code !== 0) return "not viable";
    for (const test of nearestFirst(sandbox.root, baseline, mutant.file)) {
      const mostMs = hangMs + 10 * (baseline.get(test) ?? 0);
      if ((await sandbox.bun(testing(test), mostMs)).code !== 0) return "killed";
    }
    return "survived";
  });
}

const testing = (file: string): string[] => ["test", "--bail", "--timeout=60000", `./${file}`];
