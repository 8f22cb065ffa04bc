import { expect, jest, onTestFinished, test } from "bun:test";
import { Builder, say } from "../context/build.ts";
import { stage } from "./stage.ts";

/** A screen with an answer of these lines. */
function screen(...lines: string[]) {
  const built = new Builder();
  built.user("ask");
  built.answer([say(lines.join("\n\n"))]);
  const on = stage(built);
  const draw = (): readonly string[] => on.rows(80, 24);
  /** The cell where these words begin, `after` characters on. */
  const at = (words: string, after = 0) => {
    const rows = draw().map((row) => Bun.stripANSI(row));
    const row = rows.findIndex((each) => each.includes(words));
    return { row, column: (rows[row]?.indexOf(words) ?? 0) + after };
  };
  const send = (action: "press" | "drag" | "release", cell: { row: number; column: number }) => {
    on.controller.press({ type: "mouse", action, ...cell });
    draw();
  };
  return {
    ...on,
    draw,
    at,
    send,
    /** Presses the button at a cell, and lets it go at another. */
    drag(from: ReturnType<typeof at>, to = from): void {
      send("press", from);
      if (to !== from) send("drag", to);
      send("release", to);
    },
  };
}

test("a drag selects from cell to cell, in either direction, without the gutter", () => {
  const { drag, at, copied } = screen("first **line**", "second line", "third");
  const [start, end] = [at("line"), at("third", 2)];
  drag(start, end);
  drag(end, start);
  expect(copied).toEqual(Array(2).fill("line\n\nsecond line\n\nthi"));
});

test("a click selects nothing", () => {
  const { drag, at, copied, draw } = screen("words");
  const before = draw();
  drag(at("words"));
  expect(draw()).toEqual(before);
  expect(copied).toEqual([]);
});

test("a double click selects a word or a path", () => {
  const { drag, at, copied, wait } = screen("see src/ui/漢字.ts:12, then");
  const cell = at("src/ui", 5);
  for (const pauseMs of [1_000, 1_000, 100]) {
    expect(copied).toEqual([]);
    wait(pauseMs);
    drag(cell);
  }
  expect(copied).toEqual(["src/ui/漢字.ts:12"]);
});

test("the selection is highlighted, and nothing else of its row", () => {
  const { drag, at, draw } = screen("one two three");
  const cell = at("two");
  drag(cell, at("two", 2));
  expect(draw()[cell.row]).toBe("  one \x1b[7mtwo\x1b[27m three");
});

test("a drag that is held past the edge scrolls, and copies what was scrolled out of sight", () => {
  jest.useFakeTimers();
  onTestFinished(() => void jest.useRealTimers());
  const on = screen(Array.from({ length: 34 }, (_, n) => `- line ${n}`).join("\n"));
  on.send("press", on.at("line 32"));
  on.send("drag", { row: 0, column: 4 });
  while (on.at("line 10").row === -1) jest.advanceTimersByTime(50);
  const top = { ...on.at("line 11"), column: 4 };
  on.send("drag", top);
  on.send("release", top);
  const lines = on.copied[0]?.split("\n") ?? [];
  expect(lines[0]).toBe("line 11");
  expect(lines.slice(1, -1)).toEqual(Array.from({ length: 20 }, (_, n) => `• line ${n + 12}`));
  expect(lines.at(-1)).toBe("• l");
});
