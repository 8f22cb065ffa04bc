/**
 * How long the state of a workspace takes to keep, and what a view of its own costs a command instead: its mount, and
 * taking over ten changed files; and how long many new files take. `bun test/lab/bench/undo.ts [NUMBER]`
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Checkpoints } from "../../../src/log/checkpoints.ts";
import { rewindFiles } from "../../../src/log/rewind-files.ts";
import { openLayers } from "../../../src/trust/sandbox/layers.ts";
import { overlayStage, removeOverlays } from "../../../src/trust/sandbox/overlay.ts";
import { openLayer } from "../../../src/tools/undo/command-layer.ts";
import { openState } from "../../../src/tools/undo/workspace-state.ts";

const rounds = 9;

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

const layerOptions = (own: string, checkpoints: Checkpoints) => ({
  execution: {
    source: "",
    as: "workspace-write" as const,
    sandbox: "required" as const,
    network: "off" as const,
    writable: [],
    git: null,
  },
  asideFolder: join(own, "aside"),
  keptFolder: join(own, "kept"),
  hasEffect: async () => false,
  show: (path: string) => path,
  save: (bytes: Uint8Array) => checkpoints.save(bytes),
  maxBytes: 1e9,
});

/** Files that a command makes, in 100 new folders or in 100 that were there: taking over, and a rewind. */
async function measureNew(count: number, areNew: boolean): Promise<void> {
  const top = mkdtempSync(join(tmpdir(), "undo-bench-"));
  const [root, own] = [join(top, "workspace"), join(top, "own")];
  for (let at = 0; at < 100; at += 1)
    mkdirSync(areNew ? root : join(root, "d", `${at}`), { recursive: true });
  const checkpoints = new Checkpoints(join(own, "checkpoints"));
  const place = await openLayers(own, [root]).open();
  const stage = place && overlayStage(place.overlays);
  if (!place || !stage) return;
  const code = `for (let i = 0; i < ${count}; i++) {
    if (i < 100) fs.mkdirSync("d/" + i, { recursive: true });
    fs.writeFileSync("d/" + (i % 100) + "/" + i, "export const x = " + i);
  }`;
  const words = ["/bin/sh", "-c", 'cd "$1" && exec "$2" -e "$3"', "sh", root, process.execPath];
  await Bun.spawn([...stage, ...words, code]).exited;
  const { layer, changes } = openLayer({ ...place, ...layerOptions(own, checkpoints) });
  const startMs = performance.now();
  await layer.merge();
  const takenMs = performance.now();
  const { files } = await changes;
  const entry = { id: "e", parent: null, at: "", type: "checkpoint", toolUse: "t", files } as const;
  await rewindFiles(checkpoints, { undo: [entry], redo: [] }, (path) => path);
  console.log(
    `${count} new files in ${areNew ? "new folders" : "old folders"}: taken over in ${(takenMs - startMs).toFixed(0)} ms, ` +
      `rewound in ${(performance.now() - takenMs).toFixed(0)} ms`,
  );
  rmSync(top, { recursive: true });
}

/** The mount and the look of a command in its own view, in milliseconds; beside them, a bare program. */
async function measureView(root: string, own: string) {
  const layers = openLayers(own, [root]);
  const checkpoints = new Checkpoints(join(own, "checkpoints"));
  const [bare, mount, merge]: number[][] = [[], [], []];
  for (let round = 0; round < rounds && (await layers.works()); round += 1) {
    const [place, empty] = [await layers.open(), await layers.open()];
    const [stage, bareStage] = [place, empty].map((at) => at && overlayStage(at.overlays));
    if (!place || !empty || !stage || !bareStage) break;
    const timed = async (words: string[], times: number[] = []) => {
      const startMs = performance.now();
      await Bun.spawn([...words, "/bin/sh", "-c", "true"], { cwd: root }).exited;
      times.push(performance.now() - startMs);
    };
    await timed([], bare);
    await timed(bareStage, mount);
    await removeOverlays(empty.folder);
    const line = `cd ${root}; for i in 0 1 2 3 4 5 6 7 8 9; do echo ${round} > d$i/s0/f$i.ts; done`;
    await Bun.spawn([...stage, "/bin/sh", "-c", line]).exited;
    const { layer } = openLayer({ ...place, ...layerOptions(own, checkpoints) });
    const startMs = performance.now();
    await layer.merge();
    merge?.push(performance.now() - startMs);
  }
  return { bare: median(bare ?? []), mount: median(mount ?? []), merge: median(merge ?? []) };
}

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
  const view = await measureView(root, own);
  console.log(
    `${files} files: state first ${first.toFixed(0)} ms, then ${median(later).toFixed(1)} ms; view: mount ` +
      `${(view.mount - view.bare).toFixed(1)} ms, ten changes ${view.merge.toFixed(1)} ms (medians of ${later.length})`,
  );
  state.close();
  rmSync(top, { recursive: true });
}

for (const areNew of [true, false]) await measureNew(Number(process.argv[2] ?? 20_000), areNew);
