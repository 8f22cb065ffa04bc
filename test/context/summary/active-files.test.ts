/** The files that a summary shows as they are on disk, and which are read for it. */

import { expect, test } from "bun:test";
import { readPage } from "../../docs/pages.ts";
import { world, writes } from "../../agent/compaction/harness.ts";
import { rules } from "../../agent/scripted.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { freeCut } from "../../facts.ts";
import { calls, gives, reads, says, stamp, user } from "./say.ts";

/**
 * The files that are read and shown, with a character a token: 8,000 characters of one, 30,000 of all.
 * `after`: facts of the newest turn.
 */
async function filesOf(
  facts: readonly Fact[],
  disk: Record<string, string> = {},
  { after = [], windowTokens = 1_000_000 }: { after?: readonly Fact[]; windowTokens?: number } = {},
) {
  const read: string[] = [];
  const one = await world([writes()], {
    rules: { windowTokens, charsPerToken: { ...rules.charsPerToken, code: 1 } },
    parts: {
      readFile: async (path) => {
        read.push(path);
        return disk[path] ?? null;
      },
    },
  });
  const beside = "so it stands ".repeat(windowTokens / 20);
  await one.add(user("a"), says(beside), ...facts, says("b"), user("c"), ...after);
  await one.compact();
  const [change] = one.cut().changes;
  const text = change?.kind === "cover" ? change.text : "";
  const shown = [...text.matchAll(/^# (\S+) as it is on disk now/gm)].map(([, path = ""]) => path);
  return { read, shown, text };
}

const touch = (...paths: string[]): Fact[] => paths.flatMap((path) => reads(path, path, "x"));

const writing = (id: string, path: string) => [
  calls(id, "Edit", { file_path: path }),
  gives(id, "Edit", "changed", { stamps: [stamp(path, "write")] }),
];

test("the files used last come first; those that are gone or empty are left out", async () => {
  const disk = { "/b": " \n", "/a": "one\ntwo\n" };
  const { read, shown, text } = await filesOf(touch("/a", "/b", "/c"), disk);
  expect(read).toEqual(["/c", "/b", "/a"]);
  expect(shown).toEqual(["/a"]);
  expect(text).toContain("# /a as it is on disk now (2 lines)\n<file>\none\ntwo\n");
});

test("a file that stays whole in view is not read again, unless it was changed since", async () => {
  const readAfter = async (...after: Fact[]) => (await filesOf(touch("/a"), {}, { after })).read;
  expect(await readAfter(...touch("/a"))).toEqual([]);
  expect(await readAfter(...touch("/a"), ...writing("t3", "/a"))).toEqual(["/a"]);
  expect(await readAfter(...writing("t2", "/b"))).toEqual(["/b", "/a"]);
  const cut = freeCut({ changes: [{ kind: "replace", entry: "e9", text: "[gone]" }] });
  expect(await readAfter(...touch("/a"), cut)).toEqual(["/a"]);
});

test("eight files are shown; one that is too large does not count", async () => {
  const others = ["/6", "/5", "/4", "/3", "/2", "/1"];
  const disk = Object.fromEntries([...others, "/c", "/d"].map((path) => [path, "x"]));
  const large = { "/a": "a".repeat(8_000), "/b": "b".repeat(8_001) };
  const paths = ["/d", "/c", ...others.toReversed(), "/b", "/a"];
  const { read, shown } = await filesOf(touch(...paths), { ...disk, ...large });
  expect(shown).toEqual(["/a", ...others, "/c"]);
  expect(readPage("context").replace(/\s+/g, " ")).toContain(`up to ${shown.length} files in use`);
  expect(read).not.toContain("/d");
});

test("together they take no more than their share, until nothing is left", async () => {
  const disk = { "/b": "b".repeat(6_001), "/c": "c".repeat(6_000), "/d": "d" };
  const full = Object.fromEntries(["/1", "/2", "/3"].map((path) => [path, "a".repeat(8_000)]));
  const { read, shown } = await filesOf(touch("/d", "/c", "/b", "/3", "/2", "/1"), {
    ...disk,
    ...full,
  });
  expect(shown).toEqual(["/1", "/2", "/3", "/c"]);
  expect(read).not.toContain("/d");
});

test("twenty files are read, and together they take an eighth of the window", async () => {
  const paths = Array.from({ length: 25 }, (_, n) => `/${n}`);
  const none = await filesOf(touch(...paths), {}, { windowTokens: 64_000 });
  expect(none.read).toHaveLength(20);
  // An eighth of 64,000 tokens is reserved, and the files get an eighth of the rest.
  const disk = { "/24": "x".repeat(6_990), "/23": "x".repeat(11), "/22": "x".repeat(10) };
  const { shown } = await filesOf(touch(...paths), disk, { windowTokens: 64_000 });
  expect(shown).toEqual(["/24", "/22"]);
});

test.each([
  ["read", 80, true],
  ["read", 81, false],
  ["edited", 81, false],
])("a file that was %s %d calls ago is read again: %p", async (how, ago, isUsed) => {
  const use = how === "read" ? touch("/w/a.ts") : writing("t", "/w/a.ts");
  // The answer that ends the turn is a call as well.
  const later = Array.from({ length: ago - 1 }, (_, n) => [
    calls(`o${n}`, "Bash", {}),
    gives(`o${n}`, "Bash", "x"),
  ]);
  expect((await filesOf([...use, ...later.flat()])).read.includes("/w/a.ts")).toBe(isUsed);
});
