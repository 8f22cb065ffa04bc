/**
 * The first minute without a key: what people type first, in projects of three languages. Each request is
 * answered, or refused in one sentence that says what works instead.
 */

import { expect, test } from "bun:test";
import { inventory, linkCheck, teaTimer } from "./projects.ts";
import { openSession } from "./session.ts";

type Expected =
  /** What the answer contains, and which calls needed permission. */
  | { says: (string | RegExp)[]; asks?: string[] }
  /** It is refused; the sentence names this. */
  | { refuses: string | RegExp };

type Rows = [request: string, expected: Expected][];

const edits = (path: string, line: number, more = "") => ({
  says: [`Done: \`${path}\` is changed`, `\`${path}:${line}\``, more],
  asks: [`Edit ${path}`],
});

const typescript: Rows = [
  ["hi", { says: ["Hello! I'm the offline model"] }],
  ["hello, who are you?", { says: ["Hello! I'm the offline model"] }],
  ["what can you do?", { says: ["the offline model", "search", "edit", "run commands"] }],
  ["can you see my files?", { says: ["6 files"] }],
  ["what's in this folder?", { says: ["6 files", "`src/cli.ts`"] }],
  ["give me a tour of the code", { says: ["**Tea timer** (`README.md:1`)", "`src/`: 2"] }],
  ["change the version to 0.2.0", edits("package.json", 3)],
  ["change the version in package.json to 0.2.0", edits("package.json", 3)],
  ["bump the version to 2.0.0", edits("package.json", 3)],
  ["set the name to tea-clock in package.json", edits("package.json", 2)],
  ["what version is this?", { says: ["1.2.0", "`package.json:3`"] }],
  ["is there a license?", { says: ["no license"] }],
  [
    "rename brewSeconds to steepSeconds",
    {
      says: ["5 places", "`src/brew.ts`", "`src/cli.ts`", "`test/brew.test.ts`"],
      asks: ["Edit src/brew.ts", "Edit src/cli.ts", "Edit test/brew.test.ts"],
    },
  ],
  ['add "Only a toy." to the readme', edits("README.md", 10)],
  ["how does the timer work?", { says: ["`src/view/timer-panel.ts:"] }],
  ["add a test for brewSeconds", { refuses: "create FILE" }],
  ["fix the TODO in timer-panel", { refuses: /change .* to .* in FILE/ }],
  ["refactor src/brew.ts", { refuses: "explain FILE" }],
];

const python: Rows = [
  ["explain this codebase to me", { says: ["**Inventory**", "`inventory/`: 4"] }],
  ["what language is this written in?", { says: ["Python, .py:"] }],
  ["update version to 0.4.0", edits("pyproject.toml", 3)],
  ["where is the main function", { says: ["`inventory/__main__.py:5`"] }],
  ["find all TODOs", { says: ["`inventory/store.py:11`"] }],
  ["does this have tests?", { says: ["`tests/test_store.py`", "python3 -m pytest -q"] }],
  ["how do I install this?", { says: ["pip install -e ."] }],
  ["what does the Store class do", { says: ["`inventory/store.py:4`", "how many of each"] }],
  [
    'create a file hello.txt with "hello"',
    { says: ["Done: `hello.txt` is created"], asks: ["Write hello.txt"] },
  ],
  [
    "delete tests/test_store.py",
    { says: ["`rm tests/test_store.py` succeeded"], asks: ["rm tests/test_store.py"] },
  ],
  ["add click to the dependencies", { refuses: /pip install NAME/ }],
  ["why does the test fail?", { refuses: "run the tests" }],
  ["write a CLI for it", { refuses: "create FILE" }],
];

const go: Rows = [
  ["what is this", { says: ["**linkcheck**", "Finds dead links"] }],
  ["what port does it use?", { says: ["`main.go:5`"] }],
  ["change the port to 9090", edits("main.go", 5)],
  ["change 8080 to 9090", edits("main.go", 5)],
  ["summarize main.go", { says: ["**`main.go`**", "**main**"] }],
  ["run it", { says: ["go run ."], asks: ["go run ."] }],
  ["who wrote this?", { says: ["`git shortlog -sn HEAD`"], asks: ["git shortlog -sn HEAD"] }],
  ["make it faster", { refuses: "/connect" }],
  ["review my code", { refuses: "/connect" }],
  ["what's the weather like?", { refuses: "/connect" }],
  ["thanks!", { says: ["You're welcome."] }],
];

const projects = { typescript: teaTimer, python: inventory, go: linkCheck };

for (const [project, rows] of Object.entries({ typescript, python, go }))
  for (const [request, expected] of rows)
    test(`${project}: ${request}`, async () => {
      await using session = await openSession(projects[project as keyof typeof projects]);
      const { text, asked } = await session.ask(request);
      expect(text).not.toMatch(/\bcache|\bcost|\$\d|free of charge/i);
      if ("says" in expected) {
        for (const part of expected.says)
          if (typeof part === "string") expect(text).toContain(part);
          else expect(text).toMatch(part);
        expect(asked).toEqual(expected.asks ?? []);
        return;
      }
      expect(text).toStartWith("I can't do that");
      expect(text).toMatch(expected.refuses);
      expect(text.match(/[.!?](?=\s|$)/g)).toHaveLength(1);
      expect(asked).toEqual([]);
    });
