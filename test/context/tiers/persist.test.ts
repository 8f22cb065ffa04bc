import { expect, test } from "bun:test";
import { countLines } from "../../../src/base/clip.ts";
import { isBinary, preview } from "../../../src/context/tiers/persist.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";

const file = "/h/tool-results/1-Bash-a.txt";

function shown(text: string, changes: Partial<Policy> = {}): string {
  const whole = { file, bytes: Buffer.byteLength(text), lines: countLines(text) };
  return preview(whole, { head: text }, { ...defaultPolicy, ...changes });
}

const lines = (count: number, chars: number): string =>
  Array.from({ length: count }, (_, n) => `${n + 1}: `.padEnd(chars, "x")).join("\n");

/** What a preview shows of the beginning and of the end. */
const splitEnds = (text: string): string[] => text.split(/\n?(?:Lines|\[\.\.\.) [^\n]*\n/).slice(1);

test("of short lines two thirds of 200 are the beginning, a third is the end", () => {
  const [head = "", , tail = ""] = splitEnds(shown(lines(9_000, 20)));
  expect([countLines(head), countLines(tail)]).toEqual([133, 67]);
});

test("of long lines 30,000 characters are shown, at least a third of them the end", () => {
  const text = shown(lines(300, 900));
  expect(text.length).toBeWithin(29_000, 30_001);
  const [head = "", , tail = ""] = splitEnds(text);
  expect(tail.length).toBeGreaterThanOrEqual(Math.floor((head.length + tail.length) / 3));
});

test("it says which lines are shown and which are in the file", () => {
  const text = shown(lines(300, 30), { previewLines: 6 });
  expect(text.split("\n").filter((line) => /^(Lines|\[\.\.\.)/.test(line))).toEqual([
    "Lines 1 to 4:",
    "[... the rest of lines 5 to 298 is in the file ...]",
    "Lines 299 to 300:",
  ]);
});

test("a line that is cut is among those of which the rest is in the file", () => {
  const text = shown("x".repeat(40_000));
  expect(text).toContain("\nLines 1 to 1:\n");
  expect(text).toContain("[... the rest of lines 1 to 1 is in the file ...]");
});

test("beginning and end never overlap, and what fits is shown whole", () => {
  const text = shown(lines(150, 250));
  const [head = "", , tail = ""] = splitEnds(text);
  const numbers = `${head}\n${tail}`.split("\n").flatMap((line) => /^\d+(?=:)/.exec(line) ?? []);
  expect(new Set(numbers).size).toBe(numbers.length);
  const small = lines(150, 80);
  expect(shown(small).split("\n").slice(1).join("\n")).toBe(small);
});

test("binary output is named with its size", () => {
  const bytes = Uint8Array.from({ length: 40_960 }, (_, at) => (at * 7_919) % 251);
  expect(shown(new TextDecoder().decode(bytes))).toMatch(
    new RegExp(`^\\[Binary output, \\d+\\.\\d KB\\. It is in ${file}; [^\n]*\\]$`),
  );
});

test("text with accents, colors or a few strange bytes is no binary output", () => {
  const texts = [
    "öäüß €".repeat(500),
    "\x1b[31mred\x1b[0m\n".repeat(99),
    `${"ok\n".repeat(99)}\0\ufffd`,
    "",
  ];
  expect(texts.map(isBinary)).toEqual([false, false, false, false]);
});
