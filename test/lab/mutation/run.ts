/**
 * Mutation testing: breaks lines of a room on purpose and reports which faults its tests miss.
 *
 *   bun test/lab/mutation/run.ts ROOM [--seed N] [--count N] [--file PART] [--line N]
 *
 * ROOM is a folder of `src/`, such as `log` or `trust`. Ends with 1 when mutants survive,
 * which includes those that no test can kill because the program behaves the same with them.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./campaign.ts";
import type { Mutant } from "./mutants.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
    file: { type: "string" },
    line: { type: "string" },
  },
});
const [room] = positionals;
if (room === undefined) {
  console.error(
    "Usage: bun test/lab/mutation/run.ts ROOM [--seed N] [--count N] [--file F] [--line N]",
  );
  process.exit(2);
}

const show = ({ file, line, before, after }: Mutant): string =>
  `${file}:${line}\n  - ${clip(before)}\n  + ${clip(after)}`;
const tried: Record<string, number> = {};
const clip = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

const { killed, survived, ...rest } = await run({
  root: join(import.meta.dir, "../../.."),
  room,
  seed: Number(values.seed),
  count: Number(values.count),
  file: values.file,
  line: values.line === undefined ? undefined : Number(values.line),
  onVerdict: (mutant, verdict) => {
    tried[verdict] = (tried[verdict] ?? 0) + 1;
    if (verdict === "survived") console.log(`${show(mutant)}\n  ${JSON.stringify(tried)}`);
  },
});
const viable = killed.length + survived.length;
const percent = viable === 0 ? 0 : Math.round((100 * killed.length) / viable);
console.log(
  `${room}, seed ${values.seed}: ${viable} viable, ${killed.length} killed (${percent} %), ` +
    `${survived.length} survived, ${rest["not viable"].length} not viable`,
);
process.exit(survived.length > 0 ? 1 : 0);
