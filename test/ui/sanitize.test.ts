import { describe, expect, test } from "bun:test";
import xterm from "@xterm/headless";
import fc from "../properties.ts";
import { sanitize, sanitizeLine } from "../../src/ui/sanitize.ts";

const hostile: Record<string, string> = {
  "clears the screen": "a\x1b[2J\x1b[3Jb",
  "moves the cursor": "a\x1b[1;1Hb\x1b[10Ac\x1b[Gd",
  "saves and restores the cursor": "\x1b7\x1b[s\x1b[u\x1b8x",
  scrolls: "\x1bM\x1bD\x1b[5S\x1b[5T\x1b[2;4rx",
  "sets the title": "\x1b]0;owned\x07x\x1b]2;owned\x1b\\y",
  "sets the title, unended": "x\x1b]0;owned",
  "writes the clipboard": "\x1b]52;c;aGFja2Vk\x07x",
  "links elsewhere": "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\",
  "colors what follows": "\x1b[31mred\x1b[7m inverse",
  "hides what follows": "\x1b[8mhidden\x1b[?25l",
  "leaves the alternate buffer": "\x1b[?1049lx",
  "switches the mouse on": "\x1b[?1000h\x1b[?1006hx",
  "asks the terminal": "\x1b[c\x1b[6n\x1b[>q\x1bZx",
  resets: "\x1bcx\x1b[!px",
  "device control": "\x1bP+q544e\x1b\\x\x1bPq#0;2;0;0;0\x1b\\y",
  "application and privacy strings": "\x1b_Gf=100;AAAA\x1b\\x\x1b^pm\x1b\\y\x1bXsos\x1b\\z",
  "C1 forms": "a\x9b2Jb\x9d0;owned\x07c\x90q\x9cd\x85e\x8df",
  "line drawing": "\x1b(0qqq\x0eqqq\x0f",
  "backspaces over": "good\b\b\b\bevil",
  rings: "\x07\x07x",
  "returns over": "good\revil",
  "vertical tab and form feed": "a\x0bb\x0cc",
  "torn sequence": "x\x1b[38;5",
  "sequence in a sequence": "\x1b]0;a\x1b[2Jb\x07c",
  "escape before a letter": "\x1b\x1b[2Jx",
  "hidden in a stripped one": "\x1b[\x1b[2J2Jx",
};

describe("printed text stays in its cells", () => {
  for (const [what, text] of Object.entries(hostile)) {
    test(what, async () => {
      const terminal = new xterm.Terminal({ cols: 60, rows: 5, allowProposedApi: true });
      const reports: string[] = [];
      terminal.onTitleChange((title) => reports.push(`title ${title}`));
      terminal.onBell(() => reports.push("bell"));
      terminal.onData((data) => reports.push(`answer ${JSON.stringify(data)}`));
      const write = (data: string): Promise<void> =>
        new Promise((done) => terminal.write(data, done));
      await write("above\r\nmiddle\x1b[2;1H");
      await write(sanitizeLine(text));
      const buffer = terminal.buffer.active;
      expect(reports).toEqual([]);
      expect(buffer.cursorY).toBe(1);
      expect(buffer.getLine(0)?.translateToString(true)).toBe("above");
      await write("\x1b[3;1Hbelow");
      const cell = buffer.getLine(2)?.getCell(0);
      expect(cell?.isFgDefault() && cell.isBgDefault()).toBe(true);
      expect((cell?.isInverse() ?? 1) | (cell?.isInvisible() ?? 1)).toBe(0);
      expect(buffer.getLine(2)?.translateToString(true)).toBe("below");
      terminal.dispose();
    });
  }

  test("removes every control character", () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          "\x1b",
          "[",
          "]",
          "\x9b",
          "\x07",
          "\r",
          "\n",
          "\t",
          "m",
          "2J",
          "\x1b\\",
          "P",
        ),
        fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
      ),
    });
    fc.assert(
      fc.property(nasty, (text) => {
        expect(
          /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(sanitize(text).replaceAll("\n", "")),
        ).toBe(false);
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
