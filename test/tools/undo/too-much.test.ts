/** More files than can be read hide nothing. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openState, type WorkspaceState } from "../../../src/tools/undo/workspace-state.ts";

let top: string;
let root: string;
let state: WorkspaceState;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "undo-")));
  root = join(top, "root");
  mkdirSync(root);
  state = openState({
    roots: [root],
    skipped: [],
    own: join(top, "own"),
    now: Date.now,
    maxIgnoredBytes: 0,
    maxEntries: 20,
    isWatched: () => true,
  });
});

afterEach(() => {
  state.close();
  rmSync(top, { recursive: true });
});

function fill(folder: string, files: number): void {
  mkdirSync(join(root, folder), { recursive: true });
  for (let at = 0; at < files; at += 1) writeFileSync(join(root, folder, `f${at}`), "x");
}

const seen = async (): Promise<Map<string, string | null>> =>
  new Map((await state.changes()).map(({ path, after }) => [path.slice(root.length + 1), after]));

test("beyond the limit, files are seen by name", async () => {
  await state.keep();
  fill("many", 60);
  fill("z", 1);
  const found = await seen();
  expect(found.get("z/f0")).toBeString();
  expect([...found].filter(([, after]) => after === "unread")).toHaveLength(60);
  expect(state.isComplete()).toBe(false);
  expect(await state.keep()).toBe(false);
});

test("far beyond it, folders that were not opened are named", async () => {
  await state.keep();
  for (let at = 0; at < 30; at += 1) fill(`d${at}`, 10);
  const unseen = [...(await seen())].filter(([, after]) => after === "unseen");
  expect(unseen.length).toBeGreaterThan(0);
  expect(unseen.every(([path]) => /^d\d+$/.test(path))).toBe(true);
});

test("once they are gone, all is kept again", async () => {
  await state.keep();
  fill("many", 60);
  await seen();
  rmSync(join(root, "many"), { recursive: true });
  expect(await state.keep()).toBe(true);
  fill("few", 3);
  expect((await seen()).size).toBe(4);
});
