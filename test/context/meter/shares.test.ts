import { expect, test } from "bun:test";
import { rowCounter } from "../../../src/context/view/rows.ts";
import { byFile, byTool } from "../../../src/context/meter/shares.ts";
import { Builder, call, rules } from "../build.ts";
import { exploring } from "./exploring.ts";

test("results add up by tool, and file results by file", () => {
  const { view } = exploring();
  const tokens = rowCounter(view, rules);
  const results = view.rows.filter(({ entry }) => entry.type === "result");
  const sum = results.reduce((all, row) => all + tokens(row), 0);
  const tools = byTool(view, tokens);
  expect(tools.map(({ name, items }) => [name, items])).toEqual([
    ["Read", 2],
    ["Bash", 1],
  ]);
  expect(tools.reduce((all, share) => all + share.tokens, 0)).toBeCloseTo(sum);
  const files = byFile(view, tokens);
  expect(files.map(({ name, items }) => [name, items])).toEqual([
    ["/w/a.ts", 2],
    ["/w/b.ts", 1],
  ]);
  const [first = 0, second = 0] = results.map((row) => tokens(row));
  expect(files.map((share) => share.tokens)).toEqual([first + second / 2, second / 2]);
});

test("a file is one file, however its path was written", () => {
  const on = new Builder();
  on.answer([call("a"), call("b", "Read", { file_path: "a.ts" })]);
  on.result("a", "the text");
  on.result("b", "the text");
  const files = byFile(on.view, rowCounter(on.view, rules));
  expect(files.map(({ name, items }) => [name, items])).toEqual([["/w/a.ts", 2]]);
});

test("a removed item counts as its placeholder", () => {
  const built = exploring();
  const [row] = built.view.rows.filter(({ entry }) => entry.type === "result");
  const before = byTool(built.view, rowCounter(built.view, rules))[0]?.tokens ?? 0;
  built.cut([{ kind: "replace", entry: row?.entry.id ?? "", text: "[gone]" }]);
  const after = byTool(built.view, rowCounter(built.view, rules))[0]?.tokens ?? 0;
  expect(after).toBeLessThan(before / 2);
});
