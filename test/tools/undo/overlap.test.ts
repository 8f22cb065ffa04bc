/** Commands that begin at the same time: of the user, and of agents that work beside each other. */

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchCommands } from "../../../src/tools/undo/command-watch.ts";
import { openState } from "../../../src/tools/undo/workspace-state.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "overlap-")));
afterAll(() => rmSync(root, { recursive: true }));

test("the state is kept once for commands that overlap, before the first of them runs", async () => {
  const own = join(root, "own");
  let kept = 0;
  const watch = watchCommands({
    folders: { own, home: root, roots: [root], results: join(own, "results") },
    show: (path) => path,
    checkpoint: { save: async () => "" },
    mayStillRun: async () => false,
    open: async (isWatched) => {
      const options = { roots: [root], skipped: [own], own, now: Date.now, maxIgnoredBytes: 0 };
      const state = openState({ ...options, isWatched });
      const keep = (): Promise<boolean> => {
        kept += 1;
        return state.keep();
      };
      return { ...state, keep };
    },
  });
  await Promise.all([watch.begin(), watch.begin(), watch.begin()]);
  expect(kept).toBe(1);
  await watch.close();
});
