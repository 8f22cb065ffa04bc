/** The files that a summary shows, and what it shows of each. */

import { expect, test } from "bun:test";
import { ActiveFiles } from "../../../src/context/summary/files-in-work.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { rules } from "../build.ts";
import { calls, gives, reads, says, stamp, user, makeView } from "./say.ts";

/** With a character a token: 8,000 characters of one file, 30,000 of all. */
function filesOf(facts: readonly Fact[], last: number, windowTokens = 1_000_000): ActiveFiles {
  const model = { ...rules, windowTokens, charsPerToken: { ...rules.charsPerToken, code: 1 } };
  const span = { from: "e2", to: `e${last}` };
  return new ActiveFiles(makeView(...facts), span, model, defaultPolicy);
}

const listFiles = (paths: readonly string[], windowTokens?: number): ActiveFiles => {
  const facts = [user("a"), ...paths.flatMap((path) => reads(path, path, "x")), says("b")];
  return filesOf(facts, facts.length + 1, windowTokens);
};

const chosen = (files: ActiveFiles): string[] => files.chosen.map(({ path }) => path);

test("the files used last come first; deleted and empty ones are left out", () => {
  const files = listFiles(["/a", "/b", "/c"]);
  expect(files.candidates).toEqual(["/c", "/b", "/a"]);
  files.offer("/c", null);
  files.offer("/b", " \n");
  files.offer("/a", "one\ntwo\n");
  expect(files.chosen).toEqual([{ path: "/a", text: "one\ntwo\n", lines: 2 }]);
});

const writes = (id: string, path: string) => [
  calls(id, "Edit", { file_path: path }),
  gives(id, "Edit", "changed", { stamps: [stamp(path, "write")] }),
];

test("a file that stays whole in view is no candidate, unless it was changed since", () => {
  const facts = [user("a"), ...reads("t1", "/a", "a"), says("b"), user("c")];
  const candidates = (...more: Fact[]) => filesOf([...facts, ...more], 5).candidates;
  expect(candidates(...reads("t2", "/a", "a"))).toEqual([]);
  expect(candidates(...reads("t2", "/a", "a"), ...writes("t3", "/a"))).toEqual(["/a"]);
  expect(candidates(...writes("t2", "/b"))).toEqual(["/b", "/a"]);
});

test("a file that is too large is left out, and does not count", () => {
  const others = ["/1", "/2", "/3", "/4", "/5", "/6"];
  const files = listFiles([...others, "/a", "/b.ts", "/c", "/d"]);
  files.offer("/a", "a".repeat(8_000));
  files.offer("/b.ts", "b".repeat(8_001));
  for (const path of others) files.offer(path, "x");
  expect(files.isFull).toBe(false);
  files.offer("/c", "c");
  files.offer("/d", "d");
  expect(chosen(files)).toEqual(["/a", ...others, "/c"]);
  expect(files.isFull).toBe(true);
});

test("together they take no more than their share, until nothing is left", () => {
  const files = listFiles(["/1", "/2", "/3", "/b", "/c"]);
  for (const path of ["/1", "/2", "/3"]) files.offer(path, "a".repeat(8_000));
  files.offer("/b", "b".repeat(6_001));
  expect(chosen(files)).toEqual(["/1", "/2", "/3"]);
  expect(files.isFull).toBe(false);
  files.offer("/c", "c".repeat(6_000));
  expect(chosen(files)).toEqual(["/1", "/2", "/3", "/c"]);
  expect(files.isFull).toBe(true);
});

test("twenty files are offered, and together they take an eighth of the window", () => {
  const paths = Array.from({ length: 25 }, (_, n) => `/${n}`);
  const files = listFiles(paths, 64_000);
  expect(files.candidates).toHaveLength(20);
  expect(files.candidates[0]).toBe("/24");
  // An eighth of 64,000 tokens is reserved, and the files get an eighth of the rest.
  files.offer("/24", "x".repeat(6_990));
  expect(files.isFull).toBe(false);
  files.offer("/23", "x".repeat(11));
  expect(chosen(files)).toEqual(["/24"]);
  files.offer("/22", "x".repeat(10));
  expect(chosen(files)).toEqual(["/24", "/22"]);
});

test.each([
  ["read", 80, true],
  ["read", 81, false],
  ["edited", 80, true],
  ["edited", 81, false],
])("a file that was %s %d calls ago is a candidate: %p", (how, ago, isUsed) => {
  const use = how === "read" ? reads("t", "/w/a.ts", "x") : writes("t", "/w/a.ts");
  const later = Array.from({ length: ago }, (_, n) => [
    calls(`o${n}`, "Bash", {}),
    gives(`o${n}`, "Bash", "x"),
  ]);
  const facts = [user("a"), ...use, ...later.flat(), user("b")];
  expect(filesOf(facts, facts.length).candidates.includes("/w/a.ts")).toBe(isUsed);
});
