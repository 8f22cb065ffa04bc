import { expect, test } from "bun:test";
import { editedRegions } from "../../../src/context/summary/active-files.ts";

const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}.`);
const whole = lines.join("\n");

/** The regions by their headings; text before the first heading has none. */
const regions = (texts: string[], maxChars = 9_000): string[] =>
  editedRegions(whole, texts, maxChars)
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^line (\d+)\.$/, "$1"));

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

test("an edited place is shown with five lines around it", () => {
  expect(regions(["line 20."])).toEqual(["... line 15:", ...numbers(15, 25)]);
  expect(regions(["line 20.\nline 21."])).toEqual(["... line 15:", ...numbers(15, 26)]);
});

test("the first and the last line of the file have nothing around them on one side", () => {
  expect(regions(["line 1."])).toEqual(numbers(1, 6));
  expect(regions(["line 8."])).toEqual(["... line 3:", ...numbers(3, 13)]);
  expect(regions(["line 40."])).toEqual(["... line 35:", ...numbers(35, 40)]);
});

test("places that touch are one, others are apart, in the order of the file", () => {
  expect(regions(["line 30.", "line 10.", "line 20."])).toEqual(["... line 5:", ...numbers(5, 35)]);
  expect(regions(["line 30.", "line 10."])).toEqual([
    "... line 5:",
    ...numbers(5, 15),
    "... line 25:",
    ...numbers(25, 35),
  ]);
});

test("texts that are not there any more, or are empty, show nothing", () => {
  expect(editedRegions(whole, ["gone", " \n", ""], 9_000)).toBe("");
});

test("much text ends with the line that exceeds the limit", () => {
  expect(editedRegions(whole, [whole], 48)).toBe(`${lines.slice(0, 7).join("\n")}\n`);
});
