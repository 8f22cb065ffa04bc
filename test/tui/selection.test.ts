import { expect, test } from "bun:test";
import { join } from "node:path";
import { Selection } from "../../src/tui/selection.ts";
import { themeOf } from "../../src/tui/theme.ts";
import { start } from "./pty.ts";

function selection(...rows: string[]): Selection {
  const made = new Selection();
  made.shown = { rows, gutter: 2 };
  return made;
}

test("a drag selects from cell to cell, in either direction, without the gutter", () => {
  const rows = ["  first \x1b[1mline\x1b[22m   ", "  second line", "  third"];
  for (const [from, to] of [
    [
      { row: 0, column: 8 },
      { row: 2, column: 4 },
    ],
    [
      { row: 2, column: 4 },
      { row: 0, column: 8 },
    ],
  ] as const) {
    const on = selection(...rows);
    on.press(from, 0);
    on.drag(to);
    expect(on.release()).toBe("line\nsecond line\nthi");
  }
});

test("a click selects nothing", () => {
  const on = selection("  words");
  on.press({ row: 0, column: 3 }, 0);
  expect(on.isEmpty).toBe(true);
  expect(on.release()).toBeNull();
});

test("a double click selects a word or a path", () => {
  const on = selection("  see src/tui/漢字.ts:12, then");
  const cell = { row: 0, column: 10 };
  on.press(cell, 0);
  on.release();
  on.press(cell, 100);
  expect(on.release()).toBe("src/tui/漢字.ts:12");
  on.clear();
  on.press(cell, 1_000);
  on.release();
  on.press(cell, 2_000);
  expect(on.release()).toBeNull();
});

test("the selection is highlighted, and nothing else is changed", () => {
  const on = selection("  one two three");
  on.press({ row: 0, column: 6 }, 0);
  on.drag({ row: 0, column: 8 });
  const marked = on.mark("  one two three", 0, themeOf("none"));
  expect(marked).toBe("  one \x1b[7mtwo\x1b[27m three");
  expect(on.mark("other", 1, themeOf("none"))).toBe("other");
});

/** SGR reports, from 1. */
const mouse = (button: number, column: number, row: number, end: "M" | "m"): string =>
  `\x1b[<${button};${column + 1};${row + 1}${end}`;

test("dragging over the transcript copies; a click still opens an item", async () => {
  const program = join(import.meta.dir, "scripted-screen.ts");
  const pty = start([process.execPath, program, "{}"], { cols: 80, rows: 24 });
  await pty.waitFor("❯ Ask");
  await pty.type("call alpha beta\\ngamma\r");
  const screen = await pty.waitFor("Bash scripted");
  const row = screen.split("\n").findIndex((line) => line.includes("Bash scripted"));
  const column = screen.split("\n")[row]?.indexOf("scripted") ?? 0;
  await pty.type(mouse(0, column, row, "M") + mouse(32, column + 7, row, "M"));
  await pty.type(mouse(0, column + 7, row, "m"));
  await pty.waitFor("Copied 8 characters.");
  expect(pty.output()).toContain(`\x1b]52;c;${btoa("scripted")}\x07`);
  expect(pty.screen()).not.toContain("│ alpha beta");
  await pty.type(mouse(0, 4, row, "M") + mouse(0, 4, row, "m"));
  await pty.waitFor("│ alpha beta");
  await pty.close();
}, 60_000);
