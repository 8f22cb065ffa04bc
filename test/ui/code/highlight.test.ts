import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { makeTheme } from "../../../src/ui/theme.ts";
import { answerLines, named } from "../markdown/answer.ts";
import { callRows } from "../transcript/call-rows.ts";

/** Fenced code of an answer, without the bar beside it and the name above it. */
const painted = (code: string, language: string, theme = named): string =>
  answerLines(`\`\`\`${language}\n${code}\n\`\`\``, { width: 200, theme })
    .slice(1)
    .map((line) => line.replace("<dim ▏>", ""))
    .join("\n");

test("keywords, types, strings, numbers and comments are distinguished", () => {
  expect(painted("const a: Foo = `one ${b}`; // why", "ts")).toBe(
    "<keyword const> a: <type Foo> = <string `one ${>b<string }><string `>; <comment // why>",
  );
  expect(painted("def f(self): return 'x' # why", "py")).toBe(
    "<keyword def> f(<keyword self>): <keyword return> <string 'x'> <comment # why>",
  );
  expect(painted('{"a": [1, true]}', "json")).toBe('{<property "a">: [<number 1>, <number true>]}');
  expect(painted("+new\n-old\n@@ -1 +1 @@\n--- a\n same", "diff")).toBe(
    "<added +new>\n<removed -old>\n<accent @@ -1 +1 @@>\n<strong --- a>\n same",
  );
});

const samples = {
  "ts js jsx java kt scala dart c cpp cs go rs swift php": "// why",
  "py rb sh make perl r julia elixir yaml toml dockerfile cmake nginx powershell": "# why",
  "lua sql haskell elm": "-- why",
  "html xml vue svg": "<!-- why -->",
  "css scss less": "/* why */",
  "clojure edn": "; why",
  "erlang erl": "% why",
  "ocaml ml": "(* why *)",
  "groovy gradle protobuf": "// why",
  "ini properties": "# why",
};

/** They have no grammar. */
const unknown = ["php", "elixir"];

const languages = Object.entries(samples).flatMap(([names, comment]) =>
  names.split(" ").map((name) => ({ name, comment })),
);

test("comments of every language are recognized", () => {
  for (const { name, comment } of languages)
    expect(`${name}: ${painted(comment, name)}`).toBe(
      `${name}: ${unknown.includes(name) ? comment : `<comment ${comment}>`}`,
    );
});

test("what begins on one line continues on the next", () => {
  expect(painted("a /* one\ntwo */ b", "go")).toBe("a <comment /* one>\n<comment two */> b");
  expect(painted('x = """one\ntwo""" + y', "python")).toBe(
    'x = <string """one>\n<string two"""> + y',
  );
});

test("an unknown language and very long lines are not highlighted", () => {
  expect(painted("const a = 1;", "klingon")).toBe("const a = 1;");
  const [short, long] = [1_980, 1_990].map((length) => `const a = "${"x".repeat(length)}";`);
  expect(painted(short ?? "", "ts")).toContain("<keyword const>");
  expect(painted(long ?? "", "ts").replaceAll("\n", "")).toBe(long ?? "");
});

test("numbers before quoted lines are not code", () => {
  expect(painted("8: const a\n9: let b", "ts")).toBe(
    "<dim 8: ><keyword const> a\n<dim 9: ><keyword let> b",
  );
});

test("files name their language", () => {
  const firstRole = (path: string, code: string): string | undefined => {
    const input = { file_path: path };
    const rows = callRows(`     1\t${code}`, { name: "Read", input, isOpen: true, theme: named });
    return /│> <(\w+)/.exec(rows.at(-1) ?? "")?.[1];
  };
  expect(firstRole("a/b.tsx", "const a")).toBe("keyword");
  expect(firstRole("Dockerfile", "FROM a")).toBe("keyword");
  expect(firstRole("x/Makefile", "# why")).toBe("comment");
  expect(firstRole(".env", "# why")).toBe("comment");
  expect(firstRole("a", "const a")).toBeUndefined();
});

test("highlighting never changes the text", () => {
  const bits = fc.constantFrom(
    ..."abc A1 ' \" ` \\ / /* */ // # { } ( ) [ ] < > ${ <<EOF <<- @ $ : ; = -- --- é 漢 r#\" '''".split(
      " ",
    ),
    " ",
  );
  const line = fc.array(bits, { maxLength: 12 }).map((words) => `x${words.join("")}`);
  const lines = fc.array(line, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...languages), lines, ({ name }, code) => {
      const text = code.join("\n").trimEnd();
      expect(Bun.stripANSI(painted(text, name, makeTheme("dark"))).replaceAll("▏", "")).toBe(text);
    }),
    { numRuns: 200 },
  );
});
