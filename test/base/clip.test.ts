import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { clip, takeEnd, takeStart } from "../../src/base/clip.ts";

const family = "👩‍👩‍👧‍👦";

test.each([
  ["abc", 2, "ab", "bc"],
  ["abc", 3, "abc", "abc"],
  ["abc", 0, "", ""],
  ["abc", -1, "", ""],
  ["a\r\nb", 2, "a", "b"],
  ["a\nb", 2, "a\n", "\nb"],
  ["a🙂b", 2, "a", "b"],
  ["a🙂b", 3, "a🙂", "🙂b"],
  ["e\u0301e\u0301", 3, "e\u0301", "e\u0301"],
  [`a${family}b`, 8, "a", "b"],
  [`${family}${family}`, family.length, family, family],
  ["🇫🇷🇩🇪", 6, "🇫🇷", "🇩🇪"],
])("%j of %d: %j and %j", (text, chars, start, end) => {
  expect(takeStart(text, chars)).toBe(start);
  expect(takeEnd(text, chars)).toBe(end);
});

test("an ellipsis is part of the length", () => {
  expect([clip("abcd", 3), clip("abc", 3), clip("a🙂bc", 3)]).toEqual(["ab…", "abc", "a…"]);
});

test("what is cut is well-formed, within its length, and a piece of the text", () => {
  const piece = fc.constantFrom("a", "🙂", family, "e\u0301", "\u0301".repeat(200), "🇫🇷", "\r\n");
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join("")),
      fc.nat(300),
      (text, chars) => {
        const [start, end] = [takeStart(text, chars), takeEnd(text, chars)];
        expect(text.startsWith(start) && text.endsWith(end)).toBe(true);
        expect(Math.max(start.length, end.length)).toBeLessThanOrEqual(chars);
        expect(start.isWellFormed() && end.isWellFormed()).toBe(true);
      },
    ),
  );
});

test("a character of any length is cut between its marks, not left out", () => {
  const marked = `e${"\u0301".repeat(200)}`;
  for (const chars of [70, 100, 150]) expect(takeStart(marked, chars)).toHaveLength(chars);
});

test("at most one character of ordinary text is given up", () => {
  const text = family.repeat(50);
  for (const chars of [100, 101, 250, 300]) {
    expect(takeStart(text, chars).length).toBeGreaterThan(chars - family.length);
    expect(takeEnd(text, chars).length).toBeGreaterThan(chars - family.length);
  }
});
