import { bareRules } from "../../bare-rules.ts";
import { expect, test } from "bun:test";
import { ActiveFiles } from "../../../src/context/summary/active-files.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { rules } from "../build.ts";
import { reads, says, user, makeView } from "./say.ts";

const tokens = (chars: number): number => chars / rules.charsPerToken.code;

/** Limits in characters. */
function listFiles(
  paths: readonly string[],
  { number = 9, each = 300, all = 900 }: { number?: number; each?: number; all?: number } = {},
): ActiveFiles {
  const view = makeView(user("a"), ...paths.flatMap((path) => reads(path, path, "x")), says("b"));
  const { summary } = defaultPolicy;
  const limits = { files: number, fileTokens: tokens(each), filesTokens: tokens(all) };
  const policy: Policy = {
    ...defaultPolicy,
    ...bareRules,
    summary: { ...summary, ...limits },
  };
  return new ActiveFiles(view, { from: "e2", to: `e${2 * paths.length + 3}` }, rules, policy);
}

const chosen = (files: ActiveFiles): string[] => files.chosen.map(({ path }) => path);

test("the files used last come first; deleted and empty ones are left out", () => {
  const files = listFiles(["/a", "/b", "/c"]);
  expect(files.candidates).toEqual(["/c", "/b", "/a"]);
  files.offer("/c", null);
  files.offer("/b", " \n");
  files.offer("/a", "one\ntwo\n");
  expect(files.chosen).toEqual([{ path: "/a", text: "one\ntwo\n", lines: 2, outline: false }]);
});

test("a large file is shown as its outline, which does not count as a file", () => {
  const files = listFiles(["/a", "/b.ts", "/c", "/d"], { number: 2 });
  files.offer("/a", "a".repeat(300));
  files.offer("/b.ts", `function run() {}\n${"b".repeat(300)}\n`);
  files.offer("/c", "c");
  files.offer("/d", "d");
  expect(files.chosen.map(({ path, outline }) => [path, outline])).toEqual([
    ["/a", false],
    ["/b.ts", true],
    ["/c", false],
  ]);
  expect(files.chosen[1]).toMatchObject({ text: "1: function run() {}", lines: 2 });
});

test("together they take no more than their share, until nothing is left", () => {
  const files = listFiles(["/a", "/b", "/c", "/d"], { all: 500 });
  files.offer("/a", "a".repeat(300));
  files.offer("/b", "b".repeat(201));
  expect(chosen(files)).toEqual(["/a"]);
  expect(files.isFull).toBe(false);
  files.offer("/c", "c".repeat(200));
  expect(chosen(files)).toEqual(["/a", "/c"]);
  expect(files.isFull).toBe(true);
});

test("twenty files are offered, and together they take an eighth of the window", () => {
  const paths = Array.from({ length: 25 }, (_, n) => `/${n}`);
  const files = listFiles(paths, { number: 99, each: 1e6, all: 1e6 });
  expect(files.candidates).toHaveLength(20);
  expect(files.candidates[0]).toBe("/24");
  const room = ((rules.windowTokens * 7) / 8 / 8) * rules.charsPerToken.code;
  files.offer("/24", "x".repeat(Math.floor(room) - 10));
  expect(files.isFull).toBe(false);
  files.offer("/23", "x".repeat(11));
  expect(chosen(files)).toEqual(["/24"]);
  files.offer("/22", "x".repeat(10));
  expect(chosen(files)).toEqual(["/24", "/22"]);
});
