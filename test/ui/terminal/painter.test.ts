import { expect, test } from "bun:test";
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import xterm from "@xterm/headless";
import fc from "../../properties.ts";
import { Painter, type PaintableFrame } from "../../../src/ui/terminal/painter.ts";
import { makeTheme } from "../../../src/ui/theme.ts";

const [columns, rows] = [20, 8];

const statusRequest = "\x1b[5n";

/** A terminal that a painter writes to. */
function canvas() {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  terminal.loadAddon(new UnicodeGraphemesAddon());
  // The same settings as the real screen.
  terminal.write("\x1b[?7l");
  let written = "";
  const painter = new Painter(
    (output) => void (written += output.replace(statusRequest, "")),
    () => {},
  );
  return {
    painter,
    /** Paints a frame; returns the output for it. */
    async paint(frame: PaintableFrame): Promise<string> {
      written = "";
      painter.paint(frame, columns);
      await new Promise<void>((done) => terminal.write(written, done));
      return written;
    },
    /** Each cell with its style, and the cursor. */
    cells(): string {
      const { active } = terminal.buffer;
      const cells = Array.from({ length: rows * columns }, (_, at) => {
        const cell = active.getLine(Math.floor(at / columns))?.getCell(at % columns);
        const styles = [cell?.getFgColor(), cell?.getBgColor(), cell?.isBold(), cell?.isDim()];
        return `${cell?.getChars() || " "}${styles}${cell?.isUnderline()}${cell?.isInverse()}`;
      });
      return `${cells.join("|")} ${active.cursorX},${active.cursorY}`;
    },
  };
}

const frame = (lines: readonly string[], part: Partial<PaintableFrame> = {}): PaintableFrame => ({
  rows: Array.from({ length: rows }, (_, row) => lines[row] ?? ""),
  scrolling: rows - 2,
  cursor: { x: 0, y: rows - 1 },
  ...part,
});

const theme = makeTheme("dark");
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("the ", "parser", "a", " ", "const", "日本", "…", "é") },
  { weight: 1, arbitrary: fc.constantFrom("👍🏽", "e\u0301", "✅", "👩‍👩‍👧", "\u0301", "ไทย", "❯ ") },
);
const styled = fc
  .tuple(fc.constantFrom("dim", "strong", "userMessage", "heading", "link", "one", "two"), text)
  .map(([role, words]) =>
    role === "one" || role === "two"
      ? `\x1b]8;;https://example.com/${role}\x07${words}\x1b]8;;\x07`
      : theme.paint(role, words),
  );
const line = fc
  .array(fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: styled }), {
    maxLength: 6,
  })
  .map((pieces) => pieces.join(""));
/** Changes between two frames: rows grow, move up or down, are replaced or change within. */
const change = fc.oneof(
  fc.tuple(fc.constant("append"), fc.nat(rows - 1), text),
  fc.tuple(fc.constant("move"), fc.integer({ min: -3, max: 3 }), line),
  fc.tuple(fc.constant("replace"), fc.nat(rows - 1), line),
  fc.tuple(fc.constant("edit"), fc.nat(rows - 1), fc.oneof(text, styled)),
);

function changed(lines: readonly string[], [what, n, words]: [string, number, string]): string[] {
  if (what === "append") return lines.with(n, (lines[n] ?? "") + words);
  if (what === "edit")
    return lines.with(n, (lines[n] ?? "").replace(/parser|const|the |日本/, words));
  if (what === "replace") return lines.with(n, words);
  return lines.map((_, row) => lines[row + n] ?? words);
}

test("an incremental change leaves the same screen as a full frame", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: rows, maxLength: rows }),
      fc.array(fc.tuple(change, fc.nat(rows)), { maxLength: 6 }),
      async (first, changes) => {
        const live = canvas();
        await live.paint(frame(first));
        let lines = first;
        for (const [next, scrolling] of changes) {
          lines = changed(lines, next);
          await live.paint(frame(lines, { scrolling }));
          const fresh = canvas();
          await fresh.paint(frame(lines));
          expect(live.cells()).toBe(fresh.cells());
        }
      },
    ),
    { numRuns: 60 },
  );
});

/** What the last of these frames writes; the screen is then that of a new terminal. */
async function written(...frames: PaintableFrame[]): Promise<string> {
  const [live, fresh] = [canvas(), canvas()];
  let output = "";
  for (const each of frames) output = await live.paint(each);
  for (const last of frames.slice(-1)) await fresh.paint(last);
  expect(live.cells()).toBe(fresh.cells());
  return output;
}

test("a mark that joins the character before a style is written once", async () => {
  const row = `${theme.paint("dim", "the ")}\u0301`;
  await written(frame([row]), frame([`${row}parser`]));
});

const paragraph = ["one line", "another line", "a third line", "a fourth line", "the fifth"];

test("a key is written with one move of the cursor", async () => {
  const typed = (text: string) => frame([...paragraph, text], { cursor: { x: text.length, y: 5 } });
  expect(await written(typed("> hell"), typed("> hello"))).toBe("\x1b[6;7Ho");
});

test("text that moved up is scrolled, and rows below it stay", async () => {
  const below = ["", "prompt"];
  const moved = [...paragraph.slice(1), "new", ...below];
  const output = await written(frame([...paragraph, ...below]), frame(moved));
  expect(output).toContain("\x1b[1S");
  for (const old of [...paragraph, "prompt"]) expect(output).not.toContain(old);
  expect(output).toContain("new");
});

test.each([
  [["the first line", "the second line", "the third line"], true],
  [["the first line", "the second line"], false],
  [["a", "b", "c"], false],
])("%j moves up by scrolling: %p", async (lines, isScrolled) => {
  const part = { scrolling: lines.length };
  const output = await written(frame(lines, part), frame([...lines.slice(1), "new"], part));
  expect(output.includes("\x1b[1S")).toBe(isScrolled);
});

test("a style continues in what is appended, and ends with it", async () => {
  const head = (text: string) => frame([theme.paint("heading", text)]);
  const output = await written(head("Head"), head("Heading"));
  expect(output).toStartWith("\x1b[1;5H\x1b[1;38;5;75ming\x1b[39;22m");
});

test("what follows a change of the same width is not written again", async () => {
  const row = (used: string) => frame([`${theme.paint("strong", used)} of 200k, cold`]);
  const output = await written(row("12k"), row("13k"));
  expect(output).toContain("3");
  expect(output).not.toContain("200k");
});

test("the same frame writes nothing", async () => {
  const { paint } = canvas();
  await paint(frame(paragraph));
  expect(await paint(frame(paragraph))).toBe("");
  expect(await paint(frame(paragraph, { cursor: null }))).toBe("\x1b[?25l");
  expect(await paint(frame(paragraph))).toBe("\x1b[8H\x1b[?25h");
});

test("after another program drew, everything is written", async () => {
  const { paint, painter } = canvas();
  const all = await paint(frame(paragraph));
  painter.forget();
  expect(await paint(frame(paragraph))).toBe(all);
});

test("rows that are too wide are cut", async () => {
  expect(await written(frame(["x".repeat(columns + 5)]))).toContain(`${"x".repeat(columns - 1)}…`);
});

test("the cursor is moved to where it is not known to be", async () => {
  const at = (text: string, x: number) => frame([text], { cursor: { x, y: 0 } });
  const hell = at("❯ hell", 6);
  // In the last column, the cursor stays on the character.
  const full = at("❯ hell".padEnd(columns, "o"), columns - 1);
  expect(await written(hell, full)).toEndWith("\x1b[1;20H");
  // Terminals disagree about the width of some characters.
  expect(await written(full, at("❯ 👍🏽", 4))).toEndWith("\x1b[1;5H");
  expect(await written(at("👍🏽 a", 4), at("👍🏽 b", 4))).toContain("👍🏽 b");
});

test("a change of one row, or of the cursor alone, needs no synchronized update; a hidden cursor does", async () => {
  const { paint } = canvas();
  const sync = "\x1b[?2026h";
  expect(await paint(frame(["one"]))).toStartWith(sync);
  expect(await paint(frame(["one", "three"]))).not.toContain(sync);
  expect(await paint(frame(["one", "three"], { cursor: { x: 3, y: 1 } }))).toBe("\x1b[2;4H");
  expect(await paint(frame(["one", "three"], { cursor: { x: 3, y: 1 } }))).toBe("");
  expect(await paint(frame(["four", "five"]))).toStartWith(sync);
  expect(await paint(frame(["four", "five"], { cursor: null }))).toContain("\x1b[?25l");
});
