/** Edits of text that looks the same in other characters, or whose line endings differ. */

import { expect, test } from "bun:test";
import { replaceText } from "../../../src/tools/files/edit.ts";

const edit = (text: string, old: string, next: string): string =>
  replaceText(text, old, next, { all: false, shown: "a.md" }).text;

test("accents match composed or not, and keep the file's form", () => {
  const nfd = "Le caf\u0065\u0301 est ouvert.\n";
  expect(edit(nfd, "Le café est ouvert.", "Le café est fermé.")).toBe(
    "Le café est fermé.\n".normalize("NFD"),
  );
  const nfc = nfd.normalize("NFC");
  expect(edit(nfc, "café est".normalize("NFD"), "thé est".normalize("NFD"))).toBe(
    "Le thé est ouvert.\n",
  );
});

test.each([
  ["a\u00a0b = 1;", "a b = 1;", "the file has U+00A0 (no-break space)"],
  ["a\u202fb = 1;", "a b = 1;", "U+202F (narrow no-break space)"],
  ["say “hi”", 'say "hi"', "U+201C (“), U+201D (”) where old_string has U+0022"],
  ["it’s", "it's", "U+2019 (’)"],
  ["a – b", "a - b", "U+2013 (en dash)"],
  ["foo\u200bbar", "foobar", "U+200B (zero-width space)"],
  ["call（x）", "call(x)", "U+FF08 (（)"],
  ["\u0441ount", "count", "U+0441 (Cyrillic с) where old_string has U+0063 (Latin c)"],
  ["plain - text", "plain – text", "old_string has U+2013 (en dash)"],
])("%j is not %j, and why", (line, old, why) => {
  expect(() => edit(`one\r\n${line}\r\n`, old, "x")).toThrow(why);
  expect(() => edit(`one\r\n${line}\r\n`, old, "x")).toThrow("Line 2 looks the same");
});

test("lines that an edit keeps retain their endings", () => {
  const mixed = "alpha\nbeta\r\ngamma\ndelta\r\nend\n";
  const gamma = (next: string): string => edit(mixed, "beta\ngamma\ndelta", next);
  expect(gamma("beta\ngamma2\ndelta")).toBe("alpha\nbeta\r\ngamma2\ndelta\r\nend\n");
  expect(gamma("beta\nnew\ngamma\ndelta")).toBe("alpha\nbeta\r\nnew\ngamma\ndelta\r\nend\n");
  expect(gamma("beta\ndelta")).toBe("alpha\nbeta\r\ndelta\r\nend\n");
  expect(edit(mixed, "gamma\ndelta\nend", "gamma\ndelta\nthe end")).toBe(
    "alpha\nbeta\r\ngamma\ndelta\r\nthe end\n",
  );
});
