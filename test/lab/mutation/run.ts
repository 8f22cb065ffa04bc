/**
 * Mutation testing: breaks lines of rooms on purpose, reports which faults their tests miss, and which test files
 * catch what no other one catches.
 *
 *   bun test/lab/mutation/run.ts ROOM... [--seed N] [--count N] [--suite] [--bail] [--file PART] [--line N] [--out FOLDER]
 *
 * ROOM is a folder of `src/`, such as `log` or `trust`. With --suite, what the tests of a room let pass is tried with
 * those of all other rooms; with --bail, its tests stop at the first that fails, which is quicker but shows no others.
 * FOLDER gets ROOM.jsonl: for each mutant the tests that fail. Ends with 1 when mutants survive, which includes those
 * that no test can kill because the program behaves the same with them.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Result, type Row, run } from "./campaign.ts";

const { values, positionals: rooms } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "60" },
    file: { type: "string" },
    line: { type: "string" },
    suite: { type: "boolean", default: false },
    bail: { type: "boolean", default: false },
    out: { type: "string" },
  },
});
if (rooms.length === 0) {
  console.error(
    "Usage: bun test/lab/mutation/run.ts ROOM... [--seed N] [--count N] [--suite] [--bail] [--file F] [--line N]",
  );
  process.exit(2);
}

const root = join(import.meta.dir, "../../..");
let survived = 0;
for await (const result of run({
  root,
  rooms,
  seed: Number(values.seed),
  count: Number(values.count),
  suite: values.suite,
  bail: values.bail,
  file: values.file,
  line: values.line === undefined ? undefined : Number(values.line),
})) {
  survived += report(result);
  if (values.out === undefined) continue;
  const lines = result.rows.map((row) => `${JSON.stringify(row)}\n`);
  writeFileSync(join(values.out, `${result.room}.jsonl`), lines.join(""));
}
process.exit(survived > 0 ? 1 : 0);

/** Returns how many mutants survive. */
function report({ room, rows, tests, failing }: Result): number {
  const missed = rows.filter(({ tests }) => tests.length === 0);
  const survivors = missed.filter(({ elsewhere }) => !elsewhere).length;
  for (const test of failing) console.log(`${test} fails without any mutant: left out`);
  console.log(
    `${room}, seed ${values.seed}: ${rows.length} viable, ${rows.length - missed.length} killed, ` +
      `${missed.length - survivors} killed by other rooms, ${survivors} survived`,
  );
  for (const { mutant, elsewhere } of missed) {
    const fate = elsewhere ? "by other rooms" : "survived";
    console.log(`${fate}: ${mutant.file}:${mutant.line}`);
    console.log(`  - ${clip(mutant.before)}\n  + ${clip(mutant.after)}`);
  }
  if (values.bail) return survivors;
  console.log("\nlines  kills  kills alone");
  for (const test of tests) {
    const kills = rows.filter((row) => filesOf(row).has(test));
    const alone = kills.filter((row) => filesOf(row).size === 1).length;
    const lines = readFileSync(join(root, test), "utf8").split("\n").length - 1;
    const numbers = [String(lines).padStart(5), String(kills.length).padStart(6)];
    console.log(`${numbers.join(" ")} ${String(alone).padStart(12)}  ${test}`);
  }
  return survivors;
}

function filesOf({ tests }: Row): Set<string> {
  return new Set(tests === "all" ? [] : tests.map((name) => name.split(": ")[0] ?? ""));
}

function clip(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
