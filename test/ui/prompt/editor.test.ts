import { describe, expect, test } from "bun:test";
import fc from "../../properties.ts";
import {
  editByKey,
  emptyEditor,
  insert,
  redo,
  undo,
  type Editor,
} from "../../../src/ui/prompt/editor.ts";
import { verticalMove, wrapText } from "../../../src/ui/prompt/prompt-lines.ts";

/** The editor after a key that edits. */
const byKey =
  (chord: string) =>
  (editor: Editor): Editor =>
    editByKey(editor, chord, "") ?? editor;

const keys =
  "left right alt+b alt+f home end backspace delete ctrl+k ctrl+u ctrl+w alt+d ctrl+y".split(" ");

const steps = fc.array(
  fc.oneof(
    fc
      .constantFrom("a", "é", "日", "👩‍👩‍👧", "🇩🇪", "\n", " ", "word ")
      .map((text) => (editor: Editor) => insert(editor, text)),
    fc.constantFrom(...keys).map(byKey),
    fc.constantFrom(undo, redo),
  ),
  { maxLength: 60 },
);

const run = (all: readonly ((editor: Editor) => Editor)[]): Editor =>
  all.reduce((editor, step) => step(editor), emptyEditor);

describe("laws", () => {
  test("the cursor is always on a grapheme boundary of the text", () => {
    const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    fc.assert(
      fc.property(steps, (all) => {
        const { text, cursor } = run(all);
        const bounds = new Set([
          text.length,
          ...[...graphemes.segment(text)].map(({ index }) => index),
        ]);
        expect(bounds.has(cursor)).toBe(true);
      }),
    );
  });

  test("undoing everything returns to the empty text, redoing everything to the last one", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const end = run(all.filter((step) => step !== undo && step !== redo));
        let editor = end;
        while (editor.undo.length > 0) editor = undo(editor);
        expect(editor.text).toBe("");
        while (editor.redo.length > 0) editor = redo(editor);
        expect(editor.text).toBe(end.text);
      }),
    );
  });

  test("erasing an insertion restores the text", () => {
    fc.assert(
      fc.property(steps, fc.constantFrom("x", "日", "👩‍👩‍👧"), (all, grapheme) => {
        const ended = run(all);
        const before = { ...ended, cursor: ended.text.length };
        const spaced = insert(before, " ");
        expect(byKey("backspace")(insert(spaced, grapheme)).text).toBe(spaced.text);
      }),
    );
  });

  test("wrapped lines add up to the text and fit the width", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 4, max: 30 }), (all, width) => {
        const { text, cursor } = run(all);
        const { lines, row, column } = wrapText(text, cursor, width);
        expect(lines.map((line) => line.text).join("")).toBe(text.replaceAll("\n", ""));
        for (const line of lines)
          expect(Bun.stringWidth(line.text)).toBeLessThan(Math.max(width, 3));
        expect(row).toBeLessThan(lines.length);
        expect(column).toBeLessThan(width);
      }),
    );
  });
});

describe("keys", () => {
  const type = (...keys: string[]): Editor =>
    keys.reduce<Editor>(
      (editor, key) => editByKey(editor, key, [...key].length === 1 ? key : "") ?? editor,
      emptyEditor,
    );

  test.each([
    ["a word back and forth", ["a", "b", " ", "c", "ctrl+w", "ctrl+y"], "ab c"],
    ["to the line's start and end", ["a", "b", "ctrl+a", "x", "ctrl+e", "y"], "xaby"],
    ["the rest of the line", ["a", "b", "ctrl+a", "ctrl+k"], ""],
    ["back and yank twice", ["a", "b", "ctrl+u", "ctrl+y", "ctrl+y"], "abab"],
    ["a word is one step of undo", ["a", "b", "c", "ctrl+_"], ""],
    ["delete forward", ["a", "b", "left", "delete"], "a"],
  ])("%s", (_, keys, text) => {
    expect(type(...keys).text).toBe(text);
  });

  test("a line break that begins the text is a character like any other", () => {
    const after = { ...insert(emptyEditor, "\nab"), cursor: 1 };
    expect(editByKey(after, "backspace", "")?.text).toBe("ab");
    expect(editByKey(after, "left", "")?.cursor).toBe(0);
    expect(editByKey({ ...after, cursor: 0 }, "home", "")?.cursor).toBe(0);
  });

  test("up and down keep the column, even across wide letters", () => {
    const text = "日本語\nabcdef";
    expect(verticalMove(text, text.length - 2, 40, -1)).toBe(2);
    expect(verticalMove(text, 1, 40, 1)).toBe(4 + 2);
    expect(verticalMove(text, 1, 40, -1)).toBeNull();
  });
});
