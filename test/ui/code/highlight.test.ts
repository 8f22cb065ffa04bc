import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import {
  highlight,
  languageNames,
  loadGrammar,
  readLanguage,
} from "../../../src/ui/code/highlight.ts";
import { makeTheme, type Role, type Theme } from "../../../src/ui/theme.ts";

const dark = makeTheme("dark");

/** A theme that writes roles instead of colors. */
const named: Theme = {
  name: "none",
  colors: 256,
  props: () => ({}),
  paint: (role: Role, text: string) => `<${role} ${text}>`,
};

const painted = (code: string, language: string): string =>
  highlight(code, language, named).join("\n");

test("every language has a grammar", () => {
  for (const name of languageNames) expect(loadGrammar(name)?.parser.token).toBeFunction();
});

test("keywords, types, strings, numbers and comments are distinguished", () => {
  expect(painted("const a: Foo = `one ${b}`; // why", "ts")).toBe(
    "<keyword const> a: <type Foo> = <string `one ${>b<string }><string `>; <comment // why>",
  );
  expect(painted("def f(self): return 'x' # why", "py")).toBe(
    "<keyword def> f(<keyword self>): <keyword return> <string 'x'> <comment # why>",
  );
  expect(painted('{"a": [1, true]}', "json")).toBe('{<property "a">: [<number 1>, <number true>]}');
});

test("what begins on one line continues on the next", () => {
  expect(painted("a /* one\ntwo */ b", "go")).toBe("a <comment /* one>\n<comment two */> b");
  expect(painted('x = """one\ntwo""" + y', "python")).toBe(
    'x = <string """one>\n<string two"""> + y',
  );
});

test("an unknown language and very long lines are not highlighted", () => {
  expect(painted("const a = 1;", "klingon")).toBe("const a = 1;");
  const long = `const a = "${"x".repeat(3_000)}";`;
  expect(painted(long, "ts")).toBe(long);
});

test("files name their language", () => {
  expect(["a/b.tsx", "Dockerfile", ".env", "x/Makefile", "a"].map(readLanguage)).toEqual([
    "tsx",
    "Dockerfile",
    "env",
    "Makefile",
    "a",
  ]);
});

test("highlighting never changes the text", () => {
  const bits = fc.constantFrom(
    ..."abc A1 ' \" ` \\ / /* */ // # { } ( ) [ ] < > ${ <<EOF <<- @ $ : ; = -- --- \t é 漢 r#\" '''".split(
      " ",
    ),
    " ",
  );
  const lines = fc.array(
    fc.array(bits, { maxLength: 12 }).map((words) => words.join("")),
    {
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(fc.constantFrom(...languageNames), lines, (language, code) => {
      const text = code.join("\n");
      expect(Bun.stripANSI(highlight(text, language, dark).join("\n"))).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});
