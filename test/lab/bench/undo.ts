/** How long a snapshot takes: first, and before and after a command. `bun test/lab/bench/undo.ts [NUMBER]` */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSnapshots } from "../../../src/snapshots/snapshots.ts";

const rounds = 9;

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

async function timed<T>(work: () => Promise<T>): Promise<[result: T, ms: number]> {
  const startMs = performance.now();
  return [await work(), performance.now() - startMs];
}

async function measure(count: number): Promise<void> {
  const top = mkdtempSync(join(tmpdir(), "undo-bench-"));
  const root = join(top, "work");
  for (let at = 0; at < count; at += 1) {
    const folder = join(root, `d${at % 50}`, `e${Math.floor(at / 50) % 20}`);
    if (at < 1_000) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${at}.ts`), `export const x = ${at};\n`.repeat(20));
  }
  const snapshots = openSnapshots({
    own: join(top, "own"),
    roots: [root],
    repository: async () => null,
    mayStillRun: async () => false,
  });
  const [first, firstMs] = await timed(() => snapshots.begin("first"));
  if (first.begun) await snapshots.finish(first.begun, false);
  await Bun.sleep(500);
  const times: Record<"before" | "after", number[]> = { before: [], after: [] };
  for (let round = 0; round < rounds; round += 1) {
    const [{ begun }, beforeMs] = await timed(() => snapshots.begin("command"));
    for (let at = 0; at < 10; at += 1) writeFileSync(join(root, `d${at}`, `${round}`), `${round}`);
    if (begun === null) throw new Error("There is no snapshot.");
    const [, afterMs] = await timed(() => snapshots.finish(begun, false));
    await snapshots.logged();
    times.before.push(beforeMs);
    times.after.push(afterMs);
  }
  const shown = Object.entries(times).map(([name, ms]) => `${name} ${median(ms).toFixed(0)} ms`);
  console.log(`${count} files: first ${firstMs.toFixed(0)} ms, ${shown.join(", ")}`);
  await snapshots.close();
  rmSync(top, { recursive: true, force: true });
}

for (const count of process.argv[2] ? [Number(process.argv[2])] : [2_000, 50_000])
  await measure(count);
