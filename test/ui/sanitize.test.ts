/** Whatever a model, a tool or a file prints is drawn as text. */

import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { Builder } from "../context/build.ts";
import { stage } from "./stage.ts";

/** The lines of a message with this text. */
function shown(text: string): string[] {
  const built = new Builder();
  built.user(text);
  const on = stage(built, { isKept: true });
  const { lines } = on.controller.transcript.frame(100, 600);
  on.end();
  // The message itself is bold.
  const plain = lines.map((line) => line.replaceAll("\x1b[1m", "").replaceAll("\x1b[22m", ""));
  return plain.slice(1).map((line) => line.slice(2).trimEnd());
}

test("removes every control character", () => {
  const nasty = fc.string({
    unit: fc.oneof(
      fc.constantFrom("\x1b", "[", "]", "\x9b", "\x07", "\r", "\n", "\t", "m", "2J", "\x1b\\", "P"),
      fc.integer({ min: 0, max: 0x10_ffff }).map((code) => String.fromCodePoint(code)),
    ),
  });
  fc.assert(
    fc.property(nasty, (text) => {
      expect(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(shown(text).join(""))).toBe(false);
    }),
  );
});

test.each([
  ["a bidirectional control", "if (admin\u202e) {", "if (admin<U+202E>) {"],
  ["an invisible character", "a\u{e0041}b", "a<U+E0041>b"],
  ["tabs, even after wide letters", "a\tb\n日\tc", "a   b\n日  c"],
  ["a progress bar: its last state", "10%\r50%\r100%\r\ndone", "100%\ndone"],
  ["prose", "naïve — “x”", "naïve — “x”"],
  ["Japanese", "日本語テキスト", "日本語テキスト"],
  ["emoji", "👩‍👩‍👧‍👦 🇩🇪", "👩‍👩‍👧‍👦 🇩🇪"],
  ["Hebrew", "שלום עולם", "שלום עולם"],
  ["Arabic", "مرحبا", "مرحبا"],
  ["combining marks", "e\u0301", "e\u0301"],
])("%s", (_, text, lines) => {
  expect(shown(text).join("\n")).toBe(lines);
});

test("cuts a line of 10 MB and says how much is missing", () => {
  const built = new Builder();
  built.add({ type: "note", kind: "info", text: "x".repeat(10_000_000) });
  const { lines } = stage(built).controller.transcript.frame(100, 600);
  expect(lines.length).toBeLessThan(220);
  expect(lines.join(" ").replace(/\s+/g, " ")).toContain("9,980,000 more characters");
});
