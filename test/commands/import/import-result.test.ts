import { expect, test } from "bun:test";
import {
  formatResult,
  summarizeResults,
  type ImportResult,
} from "../../../src/commands/import/import.ts";
import { Skipped } from "../../../src/commands/import/source.ts";

const result = (more: Partial<ImportResult>): ImportResult => ({
  file: "/a.jsonl",
  status: "skipped",
  reason: "",
  ...more,
});

test("a file that is not imported is named with the reason", () => {
  expect(formatResult(result({ reason: "it is\nempty" }))).toBe("skipped  /a.jsonl: it is empty");
});

test("an imported session is one line, without unknown facts", () => {
  const known = { session: "s", status: "imported" as const, title: "Mend it" };
  expect(formatResult(result(known))).toBe("imported  s  “Mend it”");
  const all = { ...known, entries: 3, agent: "Codex", cwd: "/w", reason: "cut short" };
  expect(formatResult(result({ ...all, skipped: [["hook", 2]] }))).toBe(
    "imported  s  3 entries  Codex  “Mend it”  /w; cut short; skipped: 2 hook",
  );
});

test("the two most frequent kinds of skipped items are named", () => {
  const kinds = (n: number) =>
    Array.from({ length: n }, (_, at): [string, number] => [`k${at}`, 2]);
  const line = (n: number) => formatResult(result({ session: "s", skipped: kinds(n) }));
  expect(line(2)).toEndWith("skipped: 2 k0, 2 k1");
  expect(line(8)).toEndWith("2 k1, 12 of other kinds");
  expect(line(0)).not.toContain("skipped:");
});

test("the totals name the reasons of skipped files last", () => {
  const skipped = result({ reason: "it is empty" });
  expect(summarizeResults([skipped, result({ status: "known" }), skipped])).toBe(
    "1 known, 2 skipped because each is empty",
  );
});

test("skipped items are counted by kind, most frequent first, at most forty", () => {
  const few = new Skipped();
  few.add("b");
  few.add("a");
  few.add("c", 5);
  few.add("\x1b[0m");
  expect(few.kinds).toEqual([
    ["c", 5],
    ["a", 1],
    ["b", 1],
    ["unnamed", 1],
  ]);
  const many = new Skipped();
  for (let n = 0; n < 45; n++) many.add(`k${n}`);
  many.add("k0");
  expect(many.kinds[0]).toEqual(["other kinds", 5]);
  expect(many.kinds[1]).toEqual(["k0", 2]);
  expect(many.kinds).toHaveLength(41);
});
