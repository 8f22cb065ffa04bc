/** The files that a summary shows, and what it shows of each. */

import { bareRules } from "../../bare-rules.ts";
import { describe, expect, test } from "bun:test";
import { ActiveFiles } from "../../../src/context/summary/active-files.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { rules } from "../build.ts";
import { calls, gives, reads, says, stamp, user, makeView } from "./say.ts";

const tokens = (chars: number): number => chars / rules.charsPerToken.code;

type Limits = { number?: number; each?: number; all?: number };

/** Limits in characters. */
function filesOf(facts: readonly Fact[], last: number, limits: Limits = {}): ActiveFiles {
  const { number = 9, each = 300, all = 900 } = limits;
  const own = { files: number, fileTokens: tokens(each), filesTokens: tokens(all) };
  const summary = { ...defaultPolicy.summary, ...own };
  const policy: Policy = { ...defaultPolicy, ...bareRules, summary };
  return new ActiveFiles(makeView(...facts), { from: "e2", to: `e${last}` }, rules, policy);
}

const listFiles = (paths: readonly string[], limits?: Limits): ActiveFiles => {
  const facts = [user("a"), ...paths.flatMap((path) => reads(path, path, "x")), says("b")];
  return filesOf(facts, facts.length + 1, limits);
};

const chosen = (files: ActiveFiles): string[] => files.chosen.map(({ path }) => path);

test("the files used last come first; deleted and empty ones are left out", () => {
  const files = listFiles(["/a", "/b", "/c"]);
  expect(files.candidates).toEqual(["/c", "/b", "/a"]);
  files.offer("/c", null);
  files.offer("/b", " \n");
  files.offer("/a", "one\ntwo\n");
  expect(files.chosen).toEqual([{ path: "/a", text: "one\ntwo\n", lines: 2, outline: false }]);
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

describe("of a file is shown", () => {
  const lines = Array.from({ length: 900 }, (_, index) => `const line${index} = ${index};`);
  const whole = lines.join("\n");

  const edits = (id: string, text: string, file_path = "/w/a.ts") => [
    calls(id, "Edit", { file_path, old_string: "gone", new_string: text }),
    gives(id, "Edit", "changed", { stamps: [stamp("/w/a.ts", "write")] }),
  ];
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => reads(`o${index}`, `/o${index}`, "x")).flat();

  /** What is shown of the file; null: nothing. `each`: characters of a large file. */
  function shown(facts: readonly Fact[], text = whole, path = "/w/a.ts", each = 1e6) {
    const all = [user("a"), ...facts, user("b")];
    const files = filesOf(all, all.length + 1, { number: 1, each, all: 1e6 });
    files.offer(path, text);
    return files.chosen[0] ?? null;
  }

  test("all, while it is in use", () => {
    expect(shown(reads("t", "/w/a.ts", whole))).toMatchObject({ text: whole, outline: false });
  });

  test.each([
    ["read", 80, true],
    ["read", 81, false],
    ["edited", 80, true],
    ["edited", 81, false],
  ])("all, when it was %s %d calls ago: %p", (how, ago, isWhole) => {
    const text = "const a = 1;";
    const use = how === "read" ? reads("t", "/w/a.ts", text) : edits("t", text);
    expect(shown([...use, ...others(ago)], text)?.outline === false).toBe(isWhole);
  });

  test("nothing, if it was only read, long ago", () => {
    expect(shown([...reads("t", "/w/a.ts", whole), ...others(100)])).toBeNull();
  });

  test.each(["/w/a.ts", "a.ts"])("only the edited places after a while, named %s", (named) => {
    const text = "const line500 = 500;";
    expect(shown([...edits("t", text, named), ...others(100)])).toMatchObject({
      text: `... line 496:\n${lines.slice(495, 506).join("\n")}\n`,
      outline: true,
    });
  });

  /** The edited places by their headings, after a while. */
  const places = (...texts: string[]): string[] =>
    shown([...texts.flatMap((text, n) => edits(`t${n}`, text)), ...others(100)])
      ?.text.trimEnd()
      .split("\n")
      .map((line) => line.replace(/^const line(\d+) = .*$/, "$1")) ?? [];
  const range = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

  test("places that touch as one, others apart, in the order of the file, also at its ends", () => {
    expect(places("line30 =", "line10 =", "line20 =")).toEqual(["... line 6:", ...range(5, 35)]);
    expect(places("line30 =", "line10 =")).toEqual([
      "... line 6:",
      ...range(5, 15),
      "... line 26:",
      ...range(25, 35),
    ]);
    expect(places("const line0 = 0;")).toEqual(range(0, 5));
    expect(places("const line899 = 899;")).toEqual(["... line 895:", ...range(894, 899)]);
    expect(places("const line20 = 20;\nconst line21 = 21;")).toEqual([
      "... line 16:",
      ...range(15, 26),
    ]);
    expect(places("gone too", " \n")).toEqual([]);
  });

  test("of much edited text no more than 12,000 characters", () => {
    const text = shown([...edits("t", whole), ...others(100)])?.text ?? "";
    expect(text.length).toBeWithin(12_000, 12_100);
  });

  test.each([
    [159, true],
    [160, false],
  ])("the outline of a large one, and its edits with %d calls after them: %p", (later, isShown) => {
    const edit = edits("t", "const line500 = 500;");
    const text = shown([...edit, ...others(later)], whole, "/w/a.ts", 5_000)?.text ?? "";
    if (later < 81) expect(text).toContain("1: const line0 = 0;");
    expect(text.includes("const line500 = 500;")).toBe(isShown);
  });

  test.each([
    ["a.ts", "x\nexport const a = 1;\n  const inner = 2;\nexport class B {", ["2:", "4:"]],
    ["a.py", "# note\nclass A:\n    def run(self):\n        pass", ["2:", "3:"]],
    ["a.go", "package a\nfunc (s *S) Run() error {", ["2:"]],
    ["a.rs", "pub(crate) fn run() {\nimpl S {", ["1:", "2:"]],
    ["a.md", "# One\ntext\n## Two", ["1:", "3:"]],
    ["a.yaml", "name: x\n  inner: y\nother:", ["1:", "3:"]],
    ["a.json", '{\n  "name": 1,\n    "deep": 2\n}', ["2:"]],
    ["a.c", "int main(void) {\n  return 0;\n}", ["1:"]],
  ] as const)("the outline of %s", (path, text, starts) => {
    const shownLines = shown(reads("t", path, text), text, path, 5)?.text.split("\n") ?? [];
    expect(shownLines.map((line) => line.slice(0, 2))).toEqual([...starts]);
  });

  test("an outline of 80 lines, and how many are missing", () => {
    const text = Array.from({ length: 100 }, (_, index) => `function f${index}() {}`).join("\n");
    const outline = shown(reads("t", "a.js", text), text, "a.js", 1_000)?.text.split("\n") ?? [];
    expect(outline).toHaveLength(81);
    expect(outline.at(-1)).toBe("(20 more)");
  });
});
