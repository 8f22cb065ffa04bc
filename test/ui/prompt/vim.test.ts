/** Vim keys in the prompt: text before (with | as the cursor), keys, text after. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { Builder } from "../../context/build.ts";
import { key, stage } from "../stage.ts";

/** A key by its chord, or by its letter. */
function readKey(written: string) {
  const name = /^<(.+)>$/.exec(written)?.[1];
  if (name === "esc") return key("escape");
  return name === undefined ? key(written, written) : key(name);
}

const keysOf = (text: string): string[] => text.match(/<[^>]+>|[\s\S]/gu) ?? [];

/** The prompt in normal mode, with this text. */
function open(before: string) {
  const on = stage(new Builder(), { settings: { vim: true }, isKept: true });
  const { prompt } = on.controller;
  const press = (keys: readonly string[]): void => {
    for (const written of keys)
      if (written !== "<esc>" || prompt.pressPopup(key("escape")) === false)
        void prompt.press(readKey(written));
  };
  for (const { segment } of new Intl.Segmenter().segment(before.replace("|", "")))
    press([segment === "\n" ? "<ctrl+j>" : segment]);
  press(["<esc>"]);
  const at = before.indexOf("|");
  while (prompt.editor.cursor > at) press(["<left>"]);
  while (prompt.editor.cursor < at) press(["<right>"]);
  const show = (): string => {
    const { text, cursor } = prompt.editor;
    return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
  };
  on.end();
  return { prompt, press, show };
}

function run(before: string, keys: string): string {
  const { press, show } = open(before);
  press(keysOf(keys));
  return show();
}

const table: [before: string, keys: string, after: string][] = [
  // Motions.
  ["one |two", "h", "one| two"],
  ["|ab\ncd", "hh", "|ab\ncd"],
  ["|ab\ncd", "lll", "a|b\ncd"],
  ["|one, two", "w", "one|, two"],
  ["one |two", "b", "|one two"],
  ["|one two", "b", "|one two"],
  ["|one two", "e", "on|e two"],
  ["  on|e", "0", "|  one"],
  [" on|e", "^", " |one"],
  ["|   ", "^", "  | "],
  ["|one\ntwo", "$", "on|e\ntwo"],
  ["one\nt|wo\nthree", "gg", "|one\ntwo\nthree"],
  ["|one\ntwo\nthree", "G", "one\ntwo\n|three"],
  ["|a.b.c", "2f.", "a.b|.c"],
  ["|..a", "f.", ".|.a"],
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
  ["a\n|\n\nb", "dw", "a\n|\nb"],
  ["|one two three", "d2w", "|three"],
  ["|one\ntwo three", "d2w", "|three"],
  ["on|e two", "db", "|e two"],
  ["|one two", "de", "| two"],
  ["one t|wo", "d0", "|wo"],
  ["|one two", "cwx<esc>", "|x two"],
  ["|a.b.c", "df.", "|b.c"],
  ["|a.b.c", "dt.", "|.b.c"],
  ["one\nt|wo\nthree\nfour", "dd", "one\n|three\nfour"],
  ["one\nt|wo", "dd", "|one"],
  ["|one\ntwo\nthree", "2dd", "|three"],
  ["|one\ntwo\nthree", "dj", "|three"],
  ["one\n|two\nthree", "dgg", "|three"],
  ["one\nt|wo\nthree", "dG", "|one"],
  ["one\nt|wo", "ccx<esc>", "one\n|x"],
  ["one t|wo", "Dix<esc>", "one |xt"],
  ["one |two", "Cx<esc>", "one |x"],
  ["|one", "sxy<esc>", "x|yne"],
  // Registers, undo.
  ["|one two", "dwp", "tone| wo"],
  ["|one two", "ywP", "one| one two"],
  ["|one\ntwo", "yyp", "one\n|one\ntwo"],
  ["one\nt|wo", "yy", "one\nt|wo"],
  ["one t|wo", "yb", "one |two"],
  ["|one\ntwo", "ddp", "two\n|one"],
  ["|one\ntwo", "yyGP", "one\n|one\ntwo"],
  ["|one two", "dwu<ctrl+r>", "|two"],
  ["|one", "cwab c<esc>u", "|one"],
  // No effect.
  ["|ab\ncb", "2fb", "|ab\ncb"],
  ["|one", "dfz", "|one"],
  ["|one", "d<esc>x", "|ne"],
  ["|one\ntwo", "3dd", "|"],
  ["|one", "vx", "|ne"],
  ["|", "xdwddpu", "|"],
];

for (const [before, keys, after] of table) {
  test(`${JSON.stringify(before)} ${keys}`, () => {
    const { prompt, press, show } = open(before);
    press(keysOf(keys));
    expect(show()).toBe(after);
    expect(prompt.vim.mode).toBe("normal");
    expect(prompt.pressPopup(key("escape"))).toBe(false);
  });
}

test("vim handles Escape in insert mode and during a command, and otherwise leaves it to the screen", () => {
  const { prompt, press, show } = open("on|e");
  press(["i"]);
  expect(prompt.vim.mode).toBe("insert");
  expect(prompt.pressPopup(key("escape"))).toBe(true);
  expect(prompt.vim.mode).toBe("normal");
  expect(prompt.pressPopup(key("escape"))).toBe(false);
  press(["2", "d"]);
  expect(prompt.pressPopup(key("escape"))).toBe(true);
  expect(show()).toBe("o|ne");
});

test("turned off and on again, vim has forgotten an incomplete command", () => {
  const { prompt, press, show } = open("|one");
  press(["2", "d"]);
  expect(prompt.vim.toggle()).toBe(false);
  expect(prompt.vim.toggle()).toBe(true);
  press(["<esc>", "x"]);
  expect(show()).toBe("|ne");
});

test("in normal mode, Enter and other named keys are the prompt's, and j and k move like the arrows", () => {
  const { prompt, press, show } = open("one\nt|wo");
  press(["k"]);
  expect(show()).toBe("o|ne\ntwo");
  press(["j"]);
  expect(show()).toBe("one\nt|wo");
  expect(prompt.press(key("ctrl+s"))).toBe(false);
  expect(prompt.press(key("ctrl+r"))).toBe(true);
  press(["<enter>"]);
  expect(show()).toBe("|");
});

test("a character may be any that is typed; a key with a name ends the command", () => {
  expect(run("|a+b", "f+")).toBe("a|+b");
  expect(run("|abc", "d<right>x")).toBe("a|c");
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
      const { prompt, press } = open(`|${before}`);
      press(pressed);
      const { text: after, cursor } = prompt.editor;
      expect(after.isWellFormed()).toBe(true);
      const starts = [...new Intl.Segmenter().segment(after)].map(({ index }) => index);
      expect([...starts, after.length]).toContain(cursor);
    }),
    { numRuns: 100 },
  );
});
