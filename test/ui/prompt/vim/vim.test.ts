/** Vim keys in the prompt: text before (with | as the cursor), keys, text after. */

import { expect, test } from "bun:test";
import fc from "../../../properties.ts";
import { editByKey, emptyEditor, insert, type Editor } from "../../../../src/ui/prompt/editor.ts";
import { startVim, type Vim } from "../../../../src/ui/prompt/vim/mode.ts";
import { pressVim } from "../../../../src/ui/prompt/vim/vim.ts";

const chordsIn = (keys: string): string[] => keys.match(/<[^>]+>|[\s\S]/gu) ?? [];

function run(before: string, keys: string): { vim: Vim; editor: Editor } {
  const at = before.indexOf("|");
  let editor: Editor = { ...insert(emptyEditor, before.replace("|", "")), cursor: at };
  let vim: Vim = { ...startVim, mode: "normal" };
  for (const one of chordsIn(keys)) {
    const chord =
      one === "<esc>"
        ? "escape"
        : one === "<lt>"
          ? "<"
          : one.length > 2 && one.startsWith("<")
            ? one.slice(1, -1)
            : one;
    const text = one.length > 2 && one.startsWith("<") && one !== "<lt>" ? "" : chord;
    const done = pressVim(vim, editor, chord, text);
    if (done) ({ vim, editor } = done);
    else if (vim.mode === "insert") editor = editByKey(editor, chord, text) ?? editor;
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
  ["|one, two", "W", "one, |two"],
  ["|one\n\ntwo", "w", "one\n|\ntwo"],
  ["one two|", "b", "one |two"],
  ["one.two |x", "B", "|one.two x"],
  ["|one two", "e", "on|e two"],
  ["|one two", "2e", "one tw|o"],
  ["  on|e", "0", "|  one"],
  ["  on|e", "^", "  |one"],
  ["|one\ntwo", "$", "on|e\ntwo"],
  ["one\nt|wo\nthree", "gg", "|one\ntwo\nthree"],
  ["|one\ntwo\nthree", "G", "one\ntwo\n|three"],
  ["|one\ntwo\nthree", "2G", "one\n|two\nthree"],
  ["|a.b.c", "f.", "a|.b.c"],
  ["|a.b.c", "2f.", "a.b|.c"],
  ["|a.b.c", "t.;", "a.|b.c"],
  ["a.b.|c", "F.", "a.b|.c"],
  ["a.b.|c", "T.", "a.b.|c"],
  ["|a.b.c", "f.;,", "a|.b.c"],
  ["|f(a, g(b))", "%", "f(a, g(b)|)"],
  ["|a\n\nb", "}", "a\n|\nb"],
  ["|👩‍👩‍👧日é", "ll", "👩‍👩‍👧日|é"],
  // Insert mode.
  ["o|ne", "ix<esc>", "o|xne"],
  ["o|ne", "ax<esc>", "on|xe"],
  ["  on|e", "Ix<esc>", "  |xone"],
  ["o|ne", "Ax<esc>", "one|x"],
  ["o|ne\ntwo", "ox<esc>", "one\n|x\ntwo"],
  ["one\nt|wo", "Ox<esc>", "one\n|x\ntwo"],
  ["|one", "3ix<esc>", "xx|xone"],
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
  ["on|e", "X", "o|e"],
  ["|one", "sxy<esc>", "x|yne"],
  ["|one", "rx", "|xne"],
  ["|one", "2rx", "x|xe"],
  ["|one", "9rx", "|one"],
  ["|oNe", "~~", "On|e"],
  ["|one\n  two", "J", "one| two"],
  // Text objects.
  ["one t|wo three", "diw", "one | three"],
  ["one t|wo three", "daw", "one |three"],
  ["one t|wo", "daw", "on|e"],
  ['say "he|llo" now', 'di"', 'say "|" now'],
  ['s|ay "hello" now', 'ci"x<esc>', 'say "|x" now'],
  ['say "he|llo" now', 'da"', "say |now"],
  ["f(a, |g(b))", "di(", "f(|)"],
  ["f(a, g(|b))", "dab", "f(a, g|)"],
  ["x = [1, |2]", "ci[3<esc>", "x = [|3]"],
  ["{ a|b }", "diB", "{|}"],
  ["a\nb|b\n\nc", "dap", "|c"],
  // Registers, undo, repeat.
  ["|one two", "dwp", "tone| wo"],
  ["|one two", "ywP", "one| one two"],
  ["|one\ntwo", "yyp", "one\n|one\ntwo"],
  ["|one\ntwo", "ddp", "two\n|one"],
  ["|one\ntwo", "yyGP", "one\n|one\ntwo"],
  ["|one two", "dwu", "|one two"],
  ["|one two", "dwu<ctrl+r>", "|two"],
  ["|one", "cwab c<esc>u", "|one"],
  ["|one two three", "dw.", "|three"],
  ["|one two", "cwx<esc>w.", "x |x"],
  ["|one", "x2.", "|"],
  ["|a\nb", "Ax<esc>G.", "ax\nb|x"],
  // Visual.
  ["|one two", "vey", "|one two"],
  ["|one two", "ved", "| two"],
  ["one |two", "viwcx<esc>", "one |x"],
  ["|one\ntwo\nthree", "Vjd", "|three"],
  ["one |two", "vbd", "|wo"],
  ["|one", "vlrx", "|xxe"],
  ["|one two", "veywviwp", "one on|e"],
  ["|ab", "vl~", "|AB"],
  ["on|e", "vohd", "|o"],
  // No effect.
  ["|one", "fz", "|one"],
  ["|one", "dfz", "|one"],
  ["|one", "d<esc>x", "|ne"],
  ["|one", "gqx", "|ne"],
  ["|", "xdwddpu", "|"],
  ["|one", "di(", "|one"],
];

for (const [before, keys, after] of table) {
  test(`${JSON.stringify(before)} ${keys}`, () => {
    const { vim, editor } = run(before, keys);
    expect(show(editor)).toBe(after);
    expect(vim.mode).toBe("normal");
    expect(vim.keys).toEqual([]);
  });
}

test("vim handles Escape in insert mode and during a command, and otherwise leaves it to the prompt", () => {
  const { vim, editor } = run("on|e", "i");
  expect(vim.mode).toBe("insert");
  const normal = pressVim(vim, editor, "escape", "");
  expect(normal?.vim.mode).toBe("normal");
  expect(pressVim(normal?.vim ?? vim, editor, "escape", "")).toBeNull();
  expect(run("on|e", "2d").vim.keys).toEqual(["2", "d"]);
});

test("vim leaves Enter, Ctrl keys, and j and k in normal mode to the prompt", () => {
  for (const chord of ["enter", "ctrl+s", "up", "tab"]) {
    expect(pressVim({ ...startVim, mode: "normal" }, emptyEditor, chord, "")).toBeNull();
  }
  for (const chord of ["j", "k"]) {
    expect(pressVim({ ...startVim, mode: "normal" }, emptyEditor, chord, chord)).toBeNull();
  }
});

test("any keys keep the cursor inside the text and on a character", () => {
  const keys = "hlwbeWBE0^$GfFtT;,iaIAoOxXrsScCdDyYpPu.J~vV123{}%g()\"'<ép日".split("");
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
