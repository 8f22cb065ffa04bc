import { describe, expect, test } from "bun:test";
import fc from "../../properties.ts";
import { Builder } from "../../context/build.ts";
import { key, stage } from "../stage.ts";

/** The prompt of a screen, and its keys: a chord, or what is typed. */
function open() {
  const on = stage(new Builder(), { isKept: true });
  const { prompt } = on.controller;
  on.end();
  const press = (...keys: readonly string[]): void => {
    for (const chord of keys) {
      const isChord = /^[a-z+]{2,}[^a-z]?$/.test(chord);
      void prompt.press(key(chord, isChord ? "" : chord));
    }
  };
  return { on, prompt, press };
}

const keys =
  "left right alt+b alt+f home end backspace delete ctrl+k ctrl+u ctrl+w alt+d ctrl+y ctrl+j";

const letters = ["a", "é", "日", "👩‍👩‍👧", "🇩🇪", " "];

const [undo, redo] = ["ctrl+_", "alt+z"];

const steps = fc.array(fc.constantFrom(...letters, ...letters, ...keys.split(" "), undo, redo), {
  maxLength: 60,
});

const bounds = (text: string): number[] => [
  ...[...new Intl.Segmenter().segment(text)].map(({ index }) => index),
  text.length,
];

describe("laws", () => {
  test("the cursor is always on a grapheme boundary of the text, and on the screen", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 8, max: 30 }), (all, columns) => {
        const { on, prompt, press } = open();
        press(...all);
        const { text, cursor } = prompt.editor;
        expect(bounds(text)).toContain(cursor);
        const { lines, cursor: place } = on.layout(columns, 60).budget.prompt;
        for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
        if (lines.length < 10) expect(lines.join("")).toBe(text.replaceAll("\n", ""));
        expect(place.row).toBeLessThan(lines.length);
        expect(place.column).toBeLessThan(columns);
      }),
    );
  });

  test("undoing everything returns to the empty text, redoing everything to the last one", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { prompt, press } = open();
        press(...all.filter((step) => step !== undo && step !== redo));
        const { text } = prompt.editor;
        while (prompt.editor.undo.length > 0) press(undo);
        expect(prompt.editor.text).toBe("");
        while (prompt.editor.redo.length > 0) press(redo);
        expect(prompt.editor.text).toBe(text);
      }),
    );
  });

  test("erasing a letter restores the text", () => {
    fc.assert(
      fc.property(steps, fc.constantFrom("x", "日", "👩‍👩‍👧"), (all, letter) => {
        const { prompt, press } = open();
        press(...all, "end", " ");
        const { text } = prompt.editor;
        press(letter, "backspace");
        expect(prompt.editor.text).toBe(text);
      }),
    );
  });
});

describe("keys", () => {
  const run = (...typed: string[]): string => {
    const { prompt, press } = open();
    press(...typed);
    const { text, cursor } = prompt.editor;
    return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
  };

  test.each([
    ["a word back and forth", ["a", "b", " ", "c", "ctrl+w", "ctrl+y"], "ab c|"],
    ["to the line's start and end", ["a", "b", "ctrl+a", "x", "ctrl+e", "y"], "xaby|"],
    ["the rest of the line", ["a", "b", "ctrl+a", "ctrl+k"], "|"],
    ["the line break after it", ["a", "ctrl+j", "b", "left", "left", "ctrl+k"], "a|b"],
    ["back and yank twice", ["a", "b", "ctrl+u", "ctrl+y", "ctrl+y"], "abab|"],
    ["a word is one step of undo", ["a", "b", "c", "ctrl+_"], "|"],
    ["two words are two", ["a", "b", " ", "c", "ctrl+_"], "ab|"],
    // Some terminals have no Alt key, and tmux and screen take Ctrl-B and Ctrl-A.
    ["words back, by two keys", [..."a b c", "alt+b", "ctrl+left", "x"], "a x|b c"],
    ["words forward, by two keys", [..."a b c", "ctrl+a", "alt+f", "ctrl+right", "x"], "a bx| c"],
    ["words deleted forward, by two keys", [..."a b c", "home", "alt+d", "ctrl+delete"], "| c"],
    ["words deleted, by two keys", [..."a b c", "ctrl+w", "alt+backspace"], "a |"],
    ["redo, by two keys", [..."a b", "ctrl+_", "ctrl+_", "alt+z", "ctrl+]"], "a b|"],
    ["delete forward", ["a", "b", "left", "delete"], "a|"],
    ["a line break like any other", ["ctrl+j", "a", "left", "backspace"], "|a"],
    ["a backslash before Enter", ["a", "\\", "enter", "b"], "a\nb|"],
  ])("%s", (_, typed, text) => {
    expect(run(...typed)).toBe(text);
  });

  test("up and down keep the column, even across wide letters", () => {
    const lines = ["日", "本", "語", "ctrl+j", ..."abcdef"];
    expect(run(...lines, "left", "left", "up")).toBe("日本|語\nabcdef");
    expect(run(...lines, "up", "home", "right", "down")).toBe("日本語\nab|cdef");
  });
});
