import { expect, test } from "bun:test";
import xterm from "@xterm/headless";
import fc from "fast-check";
import { shorten } from "../../../src/tui/terminal/coalesce-output.ts";

const [columns, rows] = [20, 12];

/** Each cell with its style, and where the cursor is, after `output` on a screen full of text. */
async function screenAfter(output: string): Promise<string> {
  const options = { cols: columns, rows, allowProposedApi: true, convertEol: true };
  const terminal = new xterm.Terminal(options);
  const text = Array.from({ length: rows }, (_, row) => `row ${row}`).join("\n");
  await new Promise<void>((done) => terminal.write(`${text}\x1b[6;5H${output}`, done));
  const { active } = terminal.buffer;
  const cells = Array.from({ length: rows * columns }, (_, at) => {
    const cell = active.getLine(Math.floor(at / columns))?.getCell(at % columns);
    const styles = [cell?.getFgColor(), cell?.getBgColor(), cell?.isBold(), cell?.isDim()];
    return `${cell?.getChars()}${styles}${cell?.isItalic()}${cell?.isUnderline()}${cell?.isInverse()}`;
  });
  return `${cells.join("|")} ${active.cursorX},${active.cursorY}`;
}

const count = fc.constantFrom("", "1", "2");
const piece = fc.oneof(
  fc.constantFrom("x", "y z", "\x1b[K", "\x1b[E\x1b[A", "\x1b[A\x1b[E"),
  fc.tuple(count, fc.constantFrom("A\x1b[B", "B\x1b[A", "G")).map(([n, l]) => `\x1b[${n}${l}`),
  fc.constantFrom(1, 2, 3, 4, 7, 22, 23, 24, 27, 31, 39, 44, 49, 97).map((n) => `\x1b[${n}m`),
  fc.constantFrom("\x1b[38;5;80m", "\x1b[48;2;1;2;3m", "\x1b[0m", "\x1b[m"),
);

test("shortened output leaves the same screen", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const output = pieces.join("");
      const short = shorten(output);
      expect(short.length).toBeLessThanOrEqual(output.length);
      expect(await screenAfter(short)).toBe(await screenAfter(output));
    }),
    { numRuns: 200 },
  );
});

test("a walk over the screen becomes one move, and an empty style disappears in the next", () => {
  expect(shorten("\x1b[2B\x1b[1G\x1b[39A\x1b[37E\x1b[10G\x1b[K")).toBe("\x1b[10G\x1b[K");
  expect(shorten("\n\x1b[E\x1b[2A\x1b[11G")).toBe("\x1b[11G");
  expect(shorten("\x1b[1m\x1b[38;5;80m\x1b[39m\x1b[22mu")).toBe("\x1b[39;22mu");
  expect(shorten("one\ntwo\n")).toBe("one\ntwo\n");
});
