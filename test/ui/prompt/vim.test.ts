/** Vim keys in the prompt: text before (with | as the cursor), keys, text after. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { editByKey, emptyEditor, insert, type Editor } from "../../../src/ui/prompt/editor.ts";
import { vimKeys } from "../../../src/ui/prompt/vim.ts";

/** A key by its chord, or by its letter. */
function readKey(written: string): { type: "key"; chord: string; text: string } {
  const name = /^<(.+)>$/.exec(written)?.[1];
  if (name === "esc") return { type: "key", chord: "escape", text: "" };
  if (name === "lt") return { type: "key", chord: "<", text: "<" };
  return { type: "key", chord: name ?? written, text: name ? "" : written };
}

function run(before: string, keys: string): { vim: ReturnType<typeof vimKeys>; editor: Editor } {
  const vim = vimKeys(true);
  vim.press(emptyEditor, readKey("<esc>"));
  const at = before.indexOf("|");
  let editor: Editor = { ...insert(emptyEditor, before.replace("|", "")), cursor: at };
  for (const written of keys.match(/<[^>]+>|[\s\S]/gu) ?? []) {
    const key = readKey(written);
    const done = vim.press(editor, key);
    if (done) editor = done;
    else if (vim.mode === "insert") editor = editByKey(editor, key.chord, key.text) ?? editor;
  }
  return { vim, editor };
}

const show = ({ text, cursor }: Editor): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

const table: [before: string, keys: string, after: string][] = [
  // Motions.
  ["one |two", "h", "one| two"],
  ["|ab\ncd", "hh", "|ab\ncd"],
  ["|ab\ncd", "lll", "a|b\ncd"],
  ["|one, two", "w", "one|, two"],
  ["one two|", "b", "one |two"],
  ["|one two", "e", "on|e two"],
  ["|one two", "2e", "one tw|o"],
  ["  on|e", "0", "|  one"],
  ["  on|e", "^", "  |one"],
  ["|one\ntwo", "$", "on|e\ntwo"],
  ["one\nt|wo\nthree", "gg", "|one\ntwo\nthree"],
  ["|one\ntwo\nthree", "G", "one\ntwo\n|three"],
  ["|a.b.c", "f.", "a|.b.c"],
  ["|a.b.c", "2f.", "a.b|.c"],
  ["a.b.|c", "F.", "a.b|.c"],
  ["a.b.|c", "T.", "a.b.|c"],
  ["|👩‍👩‍👧日é", "ll", "👩‍👩‍👧日|é"],
  // Insert mode.
  ["o|ne", "ix<esc>", "o|xne"],
  ["o|ne", "ax<esc>", "on|xe"],
  ["  on|e", "Ix<esc>", "  |xone"],
  ["o|ne", "Ax<esc>", "one|x"],
  ["o|ne\ntwo", "ox<esc>", "one\n|x\ntwo"],
  ["one\nt|wo", "Ox<esc>", "one\n|x\ntwo"],
  // Operators.
  ["|one two", "dw", "|two"],
  ["one |two\nthree", "dw", "one| \nthree"],
  ["|one two three", "d2w", "|three"],
  ["|one two three", "2dw", "|three"],
  ["on|e two", "db", "|e two"],
  ["|one two", "de", "| two"],
  ["one |two", "d$", "one| "],
  ["one t|wo", "d0", "|wo"],
  ["|one two", "cwx<esc>", "|x two"],
  ["|a.b.c", "df.", "|b.c"],
  ["|a.b.c", "dt.", "|.b.c"],
  ["one\nt|wo\nthree", "dd", "one\n|three"],
  ["one\nt|wo", "dd", "|one"],
  ["|one\ntwo\nthree", "2dd", "|three"],
  ["|one\ntwo\nthree", "dj", "|three"],
  ["one\n|two\nthree", "dgg", "|three"],
  ["one\nt|wo\nthree", "dG", "|one"],
  ["one\nt|wo", "ccx<esc>", "one\n|x"],
  ["one t|wo", "Dix<esc>", "one |xt"],
  ["one |two", "Cx<esc>", "one |x"],
  ["|one", "x", "|ne"],
  ["|one", "2x", "|e"],
  ["|one", "sxy<esc>", "x|yne"],
  // Registers, undo.
  ["|one two", "dwp", "tone| wo"],
  ["|one two", "ywP", "one| one two"],
  ["|one\ntwo", "yyp", "one\n|one\ntwo"],
  ["|one\ntwo", "ddp", "two\n|one"],
  ["|one\ntwo", "yyGP", "one\n|one\ntwo"],
  ["|one two", "dwu", "|one two"],
  ["|one two", "dwu<ctrl+r>", "|two"],
  ["|one", "cwab c<esc>u", "|one"],
  // No effect.
  ["|one", "fz", "|one"],
  ["|one", "dfz", "|one"],
  ["|one", "d<esc>x", "|ne"],
  ["|one\ntwo", "3dd", "|"],
  ["|one\ntwo", "yypu", "|one\ntwo"],
  ["|one", "gqx", "|ne"],
  ["|one", "vx", "|ne"],
  ["|", "xdwddpu", "|"],
];

for (const [before, keys, after] of table) {
  test(`${JSON.stringify(before)} ${keys}`, () => {
    const { vim, editor } = run(before, keys);
    expect(show(editor)).toBe(after);
    expect(vim.mode).toBe("normal");
    expect(vim.press(editor, readKey("<esc>"))).toBeNull();
  });
}

test("vim handles Escape in insert mode and during a command, and otherwise leaves it to the prompt", () => {
  const { vim, editor } = run("on|e", "i");
  expect(vim.mode).toBe("insert");
  expect(vim.press(editor, readKey("<esc>"))).not.toBeNull();
  expect(vim.mode).toBe("normal");
  expect(vim.press(editor, readKey("<esc>"))).toBeNull();
  const pending = run("on|e", "2d");
  expect(pending.vim.press(pending.editor, readKey("<esc>"))).toEqual(pending.editor);
});

test("vim leaves Enter, Ctrl keys, and j and k in normal mode to the prompt", () => {
  const { vim, editor } = run("on|e", "");
  for (const key of ["<enter>", "<ctrl+s>", "<up>", "<left>", "<tab>", "j", "k"])
    expect(vim.press(editor, readKey(key))).toBeNull();
});

test("a character may be any that is typed; a key with a name ends the command", () => {
  expect(show(run("|a+b", "f+").editor)).toBe("a|+b");
  expect(show(run("|abc", "d<left>x").editor)).toBe("|bc");
});

test("any keys keep the cursor inside the text and on a character", () => {
  const keys = "hlwbeWBE0^$GfFtT;,iaIAoOxXrsScCdDyYpPu.J~v123{}%g()\"'<ép日".split("");
  const chord = fc.oneof(
    fc.constantFrom(...keys),
    fc.constantFrom("<esc>", "<ctrl+r>", "<backspace>"),
  );
  const text = fc.string({
    unit: fc.constantFrom("a", "B", " ", "\n", "(", ")", '"', ".", "日", "👩‍👩‍👧", "é"),
    maxLength: 30,
  });
  fc.assert(
    fc.property(text, fc.array(chord, { maxLength: 40 }), (before, pressed) => {
      const { editor } = run(`|${before}`, pressed.join(""));
      expect(editor.cursor).toBeGreaterThanOrEqual(0);
      expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
      expect(editor.text.isWellFormed()).toBe(true);
      const starts = [...new Intl.Segmenter().segment(editor.text)].map(({ index }) => index);
      expect([...starts, editor.text.length]).toContain(editor.cursor);
    }),
    { numRuns: 300 },
  );
});
