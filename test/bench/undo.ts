/** How long the state of a workspace takes to keep. `bun test/bench/undo.ts` */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openState } from "../../src/tools/undo/workspace-state.ts";

const rounds = 9;

for (const files of [100, 2_000, 50_000]) {
  const top = mkdtempSync(join(tmpdir(), "undo-bench-"));
  const root = join(top, "workspace");
  for (let at = 0; at < files; at += 1) {
    const folder = join(root, `d${at % 50}`, `s${Math.floor(at / 50) % 50}`);
    if (at < 2_500) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${at}.ts`), `export const x${at} = 1;\n`.repeat(100));
  }
  const isWatched = (): boolean => false;
  const own = join(top, "own");
  const options = { roots: [root], skipped: [], own, maxIgnoredBytes: 0, isWatched };
  // Files that have just been written are read again: here they are old.
  const state = openState({ ...options, now: () => Date.now() + 60_000 });
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const startMs = performance.now();
    await state.keep();
    times.push(performance.now() - startMs);
  }
  const [first = 0, ...later] = times;
  const median = later.toSorted((a, b) => a - b)[Math.floor(later.length / 2)] ?? 0;
  console.log(
    `${files} files: first ${first.toFixed(0)} ms, then ${median.toFixed(1)} ms (median of ${later.length})`,
  );
  state.close();
  rmSync(top, { recursive: true });
}
