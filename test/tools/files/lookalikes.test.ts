/** Edits of text that looks the same in other characters, or whose line endings differ. */

import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { leave, room } from "../room.ts";

afterAll(leave);

/** The file after an edit; what the tool says if it refuses. */
async function edit(text: string, old: string, next: string): Promise<string> {
  const at = await room();
  const file = at.put("a.md", text);
  const said = await at.say("Edit", { file_path: "a.md", old_string: old, new_string: next });
  return said.startsWith("Changed") ? readFileSync(file, "utf8") : said;
}

test("accents match composed or not, and keep the file's form", async () => {
  const nfd = "Le caf\u0065\u0301 est ouvert.\n";
  expect(await edit(nfd, "Le café est ouvert.", "Le café est fermé.")).toBe(
    "Le café est fermé.\n".normalize("NFD"),
  );
  const nfc = nfd.normalize("NFC");
  expect(await edit(nfc, "café est".normalize("NFD"), "thé est".normalize("NFD"))).toBe(
    "Le thé est ouvert.\n",
  );
});

test.each([
  ["a\u00a0b=1;", "a b=1;", "the file has U+00A0 (no-break space) where old_string has a space"],
  ["a\u202fb = 1;", "a b = 1;", "U+202F (narrow no-break space)"],
  ["say “hi”", 'say "hi"', "U+201C (“), U+201D (”) where old_string has U+0022"],
  ["it’s", "it's", "U+2019 (’)"],
  ["“a” ‘b’ – —", "\"a\" 'b' - -", "U+2018 (‘), U+2019 (’), U+2013 (en dash) where"],
  ["a – b", "a - b", "U+2013 (en dash)"],
  ["foo\u200bbar", "foobar", "U+200B (zero-width space)"],
  ["call（x）", "call(x)", "U+FF08 (（)"],
  ["\u0441ount", "count", "U+0441 (Cyrillic с) where old_string has U+0063 (Latin c)"],
  ["plain - text", "plain – text", "old_string has U+2013 (en dash)"],
])("%j is not %j, and why", async (line, old, why) => {
  const said = await edit(`one\r\n${line}\r\n`, old, "x");
  expect(said).toContain(why);
  expect(said).toContain("Line 2 looks the same");
  expect(await edit(`\n${line}`, old, "x")).toContain("Line 2 looks the same");
});

test("lines that an edit keeps retain their endings", async () => {
  const mixed = "alpha\nbeta\r\ngamma\ndelta\r\nend\n";
  const gamma = (next: string) => edit(mixed, "beta\ngamma\ndelta", next);
  expect(await gamma("beta\ngamma2\ndelta")).toBe("alpha\nbeta\r\ngamma2\ndelta\r\nend\n");
  expect(await gamma("beta\nnew\ngamma\ndelta")).toBe("alpha\nbeta\r\nnew\ngamma\ndelta\r\nend\n");
  // The second of two equal lines keeps its own.
  expect(await edit("x\r\nx\ny\nend\n", "x\nx\ny", "new\nx\ny")).toBe("new\r\nx\ny\nend\n");
  expect(await edit("x\r\ny\nx\nend\n", "x\ny\nx", "x\nx\nz")).toBe("x\r\nx\nz\nend\n");
  expect(await gamma("beta\ndelta")).toBe("alpha\nbeta\r\ndelta\r\nend\n");
  // A new line among lines that end alike ends like them.
  expect(await edit("a\r\nb\nc\nd\n", "a\nb", "a\nx\nb")).toBe("a\r\nx\r\nb\nc\nd\n");
  expect(await edit("a\nb\r\nc\nd\n", "a\nb\nc", "a\nx\nb\nc")).toBe("a\nx\nb\r\nc\nd\n");
  expect(await edit(mixed, "gamma\ndelta\nend", "gamma\ndelta\nthe end")).toBe(
    "alpha\nbeta\r\ngamma\ndelta\r\nthe end\n",
  );
});
