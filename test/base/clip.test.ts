import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { clip, countLines, cutMiddle, takeEnd, takeStart } from "../../src/base/clip.ts";

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
  expect(takeStart("👩\u200d".repeat(60), 100)).toBe("👩\u200d".repeat(33));
});

test("at most one character of ordinary text is given up", () => {
  const text = family.repeat(50);
  for (const chars of [100, 101, 250, 300]) {
    expect(takeStart(text, chars).length).toBeGreaterThan(chars - family.length);
    expect(takeEnd(text, chars).length).toBeGreaterThan(chars - family.length);
  }
});

test.each([
  ["", 0],
  ["a", 1],
  ["\n", 1],
  ["a\nb", 2],
  ["a\nb\n", 2],
])("%j has %d lines", (text, lines) => {
  expect(countLines(text)).toBe(lines);
});

test("the middle of a long text is left out, at line ends where one is near", () => {
  expect(cutMiddle("a".repeat(99), 99)).toBe("a".repeat(99));
  expect(cutMiddle("a".repeat(200), 100, " of it")).toBe(
    `${"a".repeat(32)}\n[... 136 characters cut of it ...]\n${"a".repeat(32)}`,
  );
  const line = (name: string): string => `${name.repeat(19)}\n`;
  const near = line("a") + "b".repeat(300) + "\n" + line("c");
  expect(cutMiddle(near, 93)).toBe(`${"a".repeat(19)}\n[... 302 characters cut ...]\n${line("c")}`);
  // Too early or too late in its half.
  const far = `${line("a")}${"b".repeat(400)}\n${line("c")}`;
  expect(cutMiddle(far, 150)).toBe(
    `${line("a")}${"b".repeat(40)}\n[... 321 characters cut ...]\n${"b".repeat(39)}\n${line("c")}`,
  );
  expect(cutMiddle("a".repeat(99), 9)).toBe("\n[... 99 characters cut ...]\n");
});
