import { describe, expect, test } from "bun:test";
import fc from "../properties.ts";
import { jsonToTerminal, terminalLine, toTerminal } from "../../src/base/escape-terminal.ts";

// eslint-disable-next-line no-control-regex -- what must never get through
const harmful = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

/** Strings of characters that terminals interpret. */
const hostile = fc
  .array(
    fc.constantFrom("\x1b", "\x9b", "\x9d", "\x07", "\r", "\b", "\u202e", "]52;c;eA==", "[2J", "é"),
  )
  .map((parts) => parts.join(""));

describe("text", () => {
  test.each([
    ["plain\ttext\r\nof two lines", "plain\ttext\nof two lines"],
    ["a\x1b[31mb\x1b]52;c;b3duZWQ=\x07c", "abc"],
    ["a\x1bcb\x9b2Jc\x07", "abc"],
    ["\u202eevil", "<U+202E>evil"],
  ])("%j becomes %j", (text, shown) => {
    expect(toTerminal(text)).toBe(shown);
  });

  test("holds nothing that a terminal acts on", () => {
    fc.assert(fc.property(hostile, (text) => !harmful.test(toTerminal(text))));
  });
});

test("a line is clipped after its control characters are gone", () => {
  expect(terminalLine(" a\n\tb\u001b[2J\u001b[3J\u001b[4Jcdef ", 5)).toBe("a b…");
  expect(terminalLine("\u001b[2J".repeat(50), 5)).toBe("");
});

test("JSON has the same meaning, and holds nothing that a terminal acts on", () => {
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: "grapheme" })), (text) => {
      const json = jsonToTerminal(JSON.stringify({ text }));
      expect(JSON.parse(json)).toEqual({ text });
      expect(harmful.test(json)).toBe(false);
    }),
  );
});
