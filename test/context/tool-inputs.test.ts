/** Which inputs of old calls may be cut. */

import { expect, test } from "bun:test";
import { clippedInput, shortened } from "../../src/context/tiers/replacement.ts";
import { replacesText, listWritten } from "../../src/context/view/written-texts.ts";

const long = "line\n".repeat(100);

test("a text that an edit replaced is removed, what it wrote is kept", () => {
  const input = { file_path: "/a", old_string: long, new_string: long };
  expect(shortened(input, false, "e5")).toEqual({
    file_path: "/a",
    old_string: "[... 500 characters cut; recall #e5]",
    new_string: long,
  });
});

test("a text that is no longer needed keeps its start", () => {
  const next = shortened({ file_path: "/a", content: long }, true, "e5");
  expect(next?.["content"]).toBe(`${long.slice(0, 60)}[... 440 characters cut; recall #e5]`);
  expect(next?.["file_path"]).toBe("/a");
});

test("inputs are shortened in lists of edits too, and under other agents' names", () => {
  const input = { file_path: "/a", edits: [{ oldText: long, newText: "x" }, { oldText: "y" }] };
  expect(replacesText(input)).toBe(true);
  const next = shortened(input, false, "e5");
  expect(next?.["edits"]).toEqual([
    { oldText: "[... 500 characters cut; recall #e5]", newText: "x" },
    { oldText: "y" },
  ]);
  expect(listWritten(input)).toEqual(["x"]);
});

test("an input that would hardly shrink stays as it is", () => {
  expect(shortened({ command: "ls -la", description: "Lists" }, false, "e5")).toBeNull();
  expect(
    shortened({ file_path: "/a", old_string: "short", new_string: "also" }, true, "e5"),
  ).toBeNull();
});

test("no character is split, and a cut text is not cut again", () => {
  const next = shortened({ content: `${"x".repeat(59)}😀${"y".repeat(200)}` }, true, "e5");
  expect(String(next?.["content"]).isWellFormed()).toBe(true);
  expect(shortened(next ?? {}, true, "e5")).toBeNull();
});

test("as a last resort every text is clipped, however deep, and nothing else", () => {
  const input = { file_path: "/a", edits: [{ old: long, line: 3, all: true, none: null }] };
  const cut = `${long.slice(0, 100)}[... 400 characters cut; recall #e5]`;
  expect(clippedInput(input, 100, "e5")).toEqual({
    file_path: "/a",
    edits: [{ old: cut, line: 3, all: true, none: null }],
  });
});

test("a text as long as the limit is not clipped", () => {
  expect(clippedInput({ command: long }, long.length, "e5")).toEqual({ command: long });
});

test("a text of 150 characters is long; a replaced one is cut where that frees 40", () => {
  const cut = (key: string, chars: number): boolean =>
    shortened({ [key]: "x".repeat(chars) }, true, "e5") !== null;
  expect([cut("content", 149), cut("content", 150)]).toEqual([false, true]);
  expect([cut("old_string", 74), cut("old_string", 75)]).toEqual([false, true]);
});

test("only texts that an edit or a write names are what was written", () => {
  const input = {
    content: "a",
    contents: "b",
    new_string: "c",
    newText: "d",
    renew: "e",
    old: "f",
  };
  expect(listWritten(input)).toEqual(["a", "c", "d"]);
  expect(replacesText({ file_path: "/a", edits: [{ new: "x" }] })).toBe(false);
  expect(replacesText({ edits: ["old", null] })).toBe(false);
  expect(replacesText({ Old_String: "x" })).toBe(true);
});
