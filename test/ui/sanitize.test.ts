import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { sanitize } from "../../src/ui/sanitize.ts";

test("removes every control character", () => {
  const nasty = fc.string({
    unit: fc.oneof(
      fc.constantFrom("\x1b", "[", "]", "\x9b", "\x07", "\r", "\n", "\t", "m", "2J", "\x1b\\", "P"),
      fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
    ),
  });
  fc.assert(
    fc.property(nasty, (text) => {
      expect(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(sanitize(text).replaceAll("\n", ""))).toBe(
        false,
      );
    }),
  );
});

test("is idempotent", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(sanitize(sanitize(text))).toBe(sanitize(text));
    }),
  );
});

test("shows bidirectional controls and invisible characters as codes", () => {
  expect(sanitize("if (admin\u202e) {")).toBe("if (admin<U+202E>) {");
  expect(sanitize("a\u{e0041}b")).toBe("a<U+E0041>b");
});

test("keeps ordinary text of any script", () => {
  for (const text of ["naïve — “x”", "日本語テキスト", "👩‍👩‍👧‍👦 🇩🇪", "שלום עולם", "مرحبا", "e\u0301"]) {
    expect(sanitize(text)).toBe(text);
  }
});

test("tabs advance to the next stop, even after wide letters", () => {
  expect(sanitize("a\tb\n日\tc")).toBe("a   b\n日  c");
});

test("keeps the last state of a progress bar", () => {
  expect(sanitize("10%\r50%\r100%\r\ndone")).toBe("100%\ndone");
});

test("cuts a line of 10 MB and says how much is missing", () => {
  const shown = sanitize("x".repeat(10_000_000));
  expect(shown.length).toBeLessThan(21_000);
  expect(shown).toEndWith("9,980,000 more characters");
});
