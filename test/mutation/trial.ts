/** Puts a mutant to the test. */

import type { Mutant } from "./mutants.ts";
import { nearestFirst } from "./room.ts";
import type { Sandbox } from "./sandbox.ts";

/** Not viable: it does not compile, so nobody could ship it. */
export type Verdict = "killed" | "survived" | "not viable";

/** Most milliseconds for one test file. */
const nearestMs = 180_000;

/** Milliseconds that the tests take. Throws when one fails without any mutant. */
export async function timeOf(sandbox: Sandbox, tests: readonly string[]): Promise<number> {
  const { code, output, ms } = await sandbox.bun(testing(tests), 1_800_000);
  if (code !== 0) throw new Error(`The tests fail without any mutant.\n${output}`);
  return ms;
}

/** Runs the nearest test, then the others, until one fails. A run longer than `mostMs` has failed. */
export async function judge(
  sandbox: Sandbox,
  tests: readonly string[],
  mutant: Mutant,
  mostMs: number,
): Promise<Verdict> {
  return sandbox.with(mutant, async () => {
    if ((await sandbox.bun(["check", `./${mutant.file}`], 300_000)).code !== 0) return "not viable";
    const [nearest, ...others] = nearestFirst(sandbox.root, tests, mutant.file);
    // One test file that hangs must not take as long as all of them may.
    const groups = [
      { files: nearest ? [nearest] : [], ms: Math.min(mostMs, nearestMs) },
      { files: others, ms: mostMs },
    ];
    for (const { files, ms } of groups) {
      if (files.length === 0) continue;
      if ((await sandbox.bun(testing(files), ms)).code !== 0) return "killed";
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
