import { expect, test } from "bun:test";
import { join } from "node:path";
import { Selection } from "../../src/ui/selection.ts";
import { makeTheme } from "../../src/ui/theme.ts";
import { Builder, say } from "../context/build.ts";
import { start } from "./pty.ts";
import { stage } from "./stage.ts";

function selection(...rows: string[]): Selection {
  const made = new Selection(() => []);
  made.shown = { lines: rows.map((text, line) => ({ item: 0, line, text })), gutter: 2 };
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
  const on = selection("  see src/ui/漢字.ts:12, then");
  const cell = { row: 0, column: 10 };
  on.press(cell, 0);
  on.release();
  on.press(cell, 100);
  expect(on.release()).toBe("src/ui/漢字.ts:12");
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
  const marked = on.mark("  one two three", 0, makeTheme("none"));
  expect(marked).toBe("  one \x1b[7mtwo\x1b[27m three");
  expect(on.mark("other", 1, makeTheme("none"))).toBe("other");
});

/** SGR reports, from 1. */
const mouse = (button: number, column: number, row: number, end: "M" | "m"): string =>
  `\x1b[<${button};${column + 1};${row + 1}${end}`;

test("dragging over the transcript copies; a click still opens an item", async () => {
  const program = join(import.meta.dir, "scripted-screen.ts");
  const pty = start([process.execPath, program, "{}"], { cols: 80, rows: 24 });
  await pty.waitFor("❯ Ask");
  await pty.type("call alpha beta\\n2\\n3\\n4\\n5\\n6\\ngamma\r");
  const screen = await pty.waitFor("Bash scripted");
  const row = screen.split("\n").findIndex((line) => line.includes("Bash scripted"));
  const column = screen.split("\n")[row]?.indexOf("scripted") ?? 0;
  await pty.type(mouse(0, column, row, "M") + mouse(32, column + 7, row, "M"));
  await pty.type(mouse(0, column + 7, row, "m"));
  await pty.waitFor("Copied 8 characters.");
  expect(pty.output()).toContain(`\x1b]52;c;${btoa("scripted")}\x07`);
  expect(pty.screen()).not.toContain("│ gamma");
  await pty.type(mouse(0, 4, row, "M") + mouse(0, 4, row, "m"));
  await pty.waitFor("│ gamma");
  await pty.close();
});

test("a drag that is held past the edge scrolls, and copies what was scrolled out of sight", async () => {
  const built = new Builder();
  built.user("ask");
  built.answer([say(Array.from({ length: 60 }, (_, n) => `- line ${n}`).join("\n"))]);
  const on = stage(built);
  const draw = (): string[] => on.rows(80, 24).map((row) => Bun.stripANSI(row).trimEnd());
  const at = (action: "press" | "drag" | "release", column: number, row: number) =>
    on.controller.press({ type: "mouse", action, column, row });
  const from = draw().findIndex((row) => row.endsWith("line 58"));
  at("press", 4, from);
  at("drag", 4, 0);
  while (!draw().some((row) => row.endsWith("line 20"))) await on.settle();
  const top = draw().findIndex((row) => row.endsWith("line 21"));
  at("drag", 4, top);
  draw();
  at("release", 4, top);
  const lines = on.copied[0]?.split("\n") ?? [];
  expect(lines[0]).toBe("line 21");
  expect(lines.slice(1, -1)).toEqual(Array.from({ length: 36 }, (_, n) => `• line ${n + 22}`));
  expect(lines.at(-1)).toBe("• l");
  on.end();
});
