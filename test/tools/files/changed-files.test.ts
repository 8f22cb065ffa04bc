import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Entry, FileStamp } from "../../../src/protocol/entry.ts";
import {
  changedFact,
  changedFiles,
  changedNotice,
  changedSince,
  hashBytes,
} from "../../../src/tools/files/changed-files.ts";
import { leave, room, type Room } from "../room.ts";

afterAll(leave);

const makeStamp = (path: string, content: string): FileStamp => ({
  path,
  does: "read",
  hash: hashBytes(Buffer.from(content)),
  bytes: content.length,
});

const result = (...stamps: FileStamp[]): Entry => ({
  id: "e1",
  parent: null,
  at: "",
  type: "result",
  toolUse: "t",
  tool: "Read",
  content: [],
  bytes: 0,
  lines: 0,
  stamps,
});

/** Three files that were read; one has changed since, and one is gone. */
async function changedRoom(): Promise<{ at: Room; stamps: FileStamp[] }> {
  const at = await room();
  const stamps = ["same", "changed", "gone"].map((name) => makeStamp(at.put(name, name), name));
  at.put("changed", "else");
  rmSync(join(at.root, "gone"));
  return { at, stamps };
}

test("changed and deleted files are found", async () => {
  const { at, stamps } = await changedRoom();
  const changes = await changedFiles([result(...stamps)]);
  expect(changes).toEqual([
    { path: join(at.root, "changed"), how: "changed" },
    { path: join(at.root, "gone"), how: "gone" },
  ]);
  expect(changedNotice(changes, at.root)).toEqual([
    "Changed on disk since this session last saw it: changed, gone (deleted).",
  ]);
  const [fact] = changedFact(changes, at.root);
  expect(JSON.stringify(fact?.content)).toContain("- changed\\n- gone (deleted)");
});

test("the last stamp of a file counts; one without a hash says nothing", async () => {
  const at = await room();
  const path = at.put("a", "new");
  const [old, seen] = [makeStamp(path, "old"), makeStamp(path, "new")];
  expect(await changedFiles([result(old), result(seen)])).toEqual([]);
  expect(await changedFiles([result(seen), result(old)])).toHaveLength(1);
  expect(await changedSince([{ ...old, hash: "" }])).toEqual([]);
});

test("only the 200 files seen last are checked", async () => {
  const at = await room();
  const stamps = Array.from({ length: 201 }, (_, n) => makeStamp(join(at.root, `gone${n}`), "x"));
  const again = result(...stamps.slice(0, 1));
  expect(await changedFiles([result(...stamps)])).toHaveLength(200);
  const changes = await changedFiles([result(...stamps), again]);
  expect(changes.map(({ path }) => path)).toContain(join(at.root, "gone0"));
  expect(changes.map(({ path }) => path)).not.toContain(join(at.root, "gone1"));
  expect(changedNotice(changes, at.root)[0]).toMatch(/gone6 \(deleted\) and 195 more\.$/);
});

test("nothing is reported when nothing changed", () => {
  expect([changedNotice([], "/"), changedFact([], "/")]).toEqual([[], []]);
});

test("a file that became a link or a folder has changed", async () => {
  const at = await room();
  const path = at.put("a", "x");
  const stamp = makeStamp(path, "x");
  rmSync(path);
  at.put("a/b", "");
  expect(await changedSince([stamp])).toEqual([{ path, how: "changed" }]);
});
