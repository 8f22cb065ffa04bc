import { expect, test } from "bun:test";
import { Selection } from "../../src/ui/selection.ts";
import { makeTheme } from "../../src/ui/theme.ts";
import { Builder, say } from "../context/build.ts";
import { openScripted } from "./scripted.ts";
import { stage } from "./stage.ts";

type Cell = { row: number; column: number };

/** A selection over rows of a transcript with a gutter of two columns. */
function selection(...rows: string[]) {
  const copied: string[] = [];
  const at = { nowMs: 0, theme: makeTheme("none") };
  const actions = { copy: (text: string) => void copied.push(text), notify: () => {} };
  const scrollable = {
    edges: { top: 0, bottom: Infinity },
    scroll: () => {},
    between: () => [],
  };
  const on = new Selection({ store: at, actions }, scrollable);
  const show = (): readonly string[] =>
    on.show(rows, {
      budget: { gutter: 2, start: 0 },
      transcript: { places: rows.map((_, line) => ({ item: 0, line })) },
    });
  show();
  const send = (action: "press" | "drag" | "release", cell: Cell): boolean =>
    on.take({ type: "mouse", action, ...cell });
  return {
    copied,
    show,
    /** Presses the button at a cell, and lets it go at another; returns whether it was a click. */
    drag(from: Cell, to = from): boolean {
      send("press", from);
      if (to !== from) send("drag", to);
      return send("release", to);
    },
    clear: () => on.clear(),
    wait: (ms: number) => void (at.nowMs += ms),
  };
}

test("a drag selects from cell to cell, in either direction, without the gutter", () => {
  const rows = ["  first \x1b[1mline\x1b[22m   ", "  second line", "  third"];
  const [start, end] = [
    { row: 0, column: 8 },
    { row: 2, column: 4 },
  ];
  const on = selection(...rows);
  expect(on.drag(start, end)).toBe(false);
  expect(on.drag(end, start)).toBe(false);
  expect(on.copied).toEqual(Array(2).fill("line\nsecond line\nthi"));
});

test("a click selects nothing", () => {
  const on = selection("  words");
  expect(on.drag({ row: 0, column: 3 })).toBe(true);
  expect(on.show()).toEqual(["  words"]);
  expect(on.copied).toEqual([]);
});

test("a double click selects a word or a path", () => {
  const on = selection("  see src/ui/漢字.ts:12, then");
  const cell = { row: 0, column: 10 };
  on.drag(cell);
  on.wait(100);
  expect(on.drag(cell)).toBe(false);
  expect(on.copied).toEqual(["src/ui/漢字.ts:12"]);
  on.clear();
  for (let clicks = 0; clicks < 2; clicks++) {
    on.wait(1_000);
    expect(on.drag(cell)).toBe(true);
  }
});

test("the selection is highlighted, and nothing else is changed", () => {
  const on = selection("  one two three", "other");
  on.drag({ row: 0, column: 6 }, { row: 0, column: 8 });
  expect(on.show()).toEqual(["  one \x1b[7mtwo\x1b[27m three", "other"]);
});

/** SGR reports, from 1. */
const mouse = (button: number, column: number, row: number, end: "M" | "m"): string =>
  `\x1b[<${button};${column + 1};${row + 1}${end}`;

test("dragging over the transcript copies; a click still opens an item", async () => {
  const pty = await openScripted();
  const screen = await pty.send("call alpha beta\\n2\\n3\\n4\\n5\\n6\\ngamma", "Bash scripted");
  const row = screen.split("\n").findIndex((line) => line.includes("Bash scripted"));
  const column = screen.split("\n")[row]?.indexOf("scripted") ?? 0;
  await pty.type(mouse(0, column, row, "M") + mouse(32, column + 7, row, "M"));
  await pty.type(mouse(0, column + 7, row, "m"));
  await pty.waitFor("Copied 8 characters.");
  expect(pty.output()).toContain(`\x1b]52;c;${btoa("scripted")}\x07`);
  expect(pty.screen()).not.toContain("│ 3");
  await pty.type(mouse(0, 4, row, "M") + mouse(0, 4, row, "m"));
  await pty.waitFor("│ 3");
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
});
