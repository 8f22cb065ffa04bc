/** What a newcomer asks first, in projects of three languages, and what each answer must contain. */

import { describe, expect, test } from "bun:test";
import { sandboxHere } from "../../trust/sandbox-here.ts";
import { inventory, linkCheck, teaTimer } from "./projects.ts";
import { openSession, type Options } from "./session.ts";

type Expected = { has: (string | RegExp)[]; hasNot?: (string | RegExp)[]; asks?: string[] };

/** No question about a small project may take much of the window. */
const maxTokens = 4_000;

function questions(
  name: string,
  files: Record<string, string>,
  list: Record<string, Expected>,
  options: Options = {},
): void {
  describe(name, () => {
    for (const [question, { has, hasNot = [], asks = [] }] of Object.entries(list)) {
      test(question, async () => {
        await using session = await openSession(files, options);
        const answer = await session.ask(question);
        for (const part of has)
          if (typeof part === "string") expect(answer.text).toContain(part);
          else expect(answer.text).toMatch(part);
        for (const part of [...hasNot, /node_modules|venv|vendor\//, /cache/i])
          if (typeof part === "string") expect(answer.text).not.toContain(part);
          else expect(answer.text).not.toMatch(part);
        expect(answer.asked).toEqual(asks);
        expect(answer.tokens).toBeLessThan(maxTokens);
      });
    }
  });
}

questions("a TypeScript project", teaTimer, {
  "what is this project?": {
    has: [
      "**Tea timer** (`README.md:1`)",
      "Rings a bell",
      '"test": "echo',
      "`src/view/`: 1",
      "6 files",
    ],
  },
  "how do I run the tests?": {
    has: ["Use `bun run test` (`package.json:7`). Say “run the tests”"],
  },
  "run the tests": {
    has: ["3 passed, 0 failed", "succeeded"],
    asks: sandboxHere ? [] : ["bun run test"],
  },
  "how do I start the app?": { has: ["`bun run start` (`package.json:6`)"] },
  "what are the dependencies?": {
    has: ["`package.json:10`", "chalk", "`package.json:13`", "typescript"],
    hasNot: ["scripts"],
  },
  "where is the brew time computed?": { has: [/^\*\*`src\/brew\.ts:[36]`\*\*/] },
  "where is brewSeconds tested?": { has: ["**`test/brew.test.ts:"] },
  "who uses brewSeconds?": {
    has: ["`src/cli.ts:5`", "Declared:\n- `src/brew.ts:6`", "Imported:\n- `src/cli.ts:2`"],
  },
  "how many lines of code are there?": {
    has: [
      "19 lines of code in 4 files, without blank lines:\n- TypeScript, .ts: 19 lines in 4 files",
    ],
  },
  "are there any TODOs?": {
    has: ["1 line in 1 file looks like TODO", "`src/view/timer-panel.ts:3`"],
  },
  'where is the error message "There is no tea called oolong." from?': {
    has: ["No line contains exactly", "`src/brew.ts:8`"],
  },
  "explain src/brew.ts": {
    has: [
      "How long each kind of tea has to steep.",
      "**brewSeconds**: Seconds for a kind",
      "`src/cli.ts:2`",
    ],
  },
  "what does brewSeconds do?": {
    has: ["`src/brew.ts:6`: Seconds for a kind of tea.", "return found;", "Used in"],
  },
  "where is the entry point?": { has: ["`src/cli.ts:1`"] },
  "show me the README": { has: ["`README.md:1`", "Rings a bell"] },
  "show me src/cli.ts": { has: ["5  showPanel(brewSeconds("] },
  "fix the bug in the timer": {
    has: ["I can't do that: I'm the offline model", "explain FILE", "/connect"],
  },
  "where is the flux capacitor?": {
    has: ["I found nothing for “flux capacitor”: I searched the text and the names of all files"],
  },
});

questions("a Python project", inventory, {
  "What does this repo do?": {
    has: ["**Inventory**", "what is in the warehouse", "inventory/`: 4"],
  },
  "How can I run the tests?": { has: ["`python3 -m pytest -q`", "`pyproject.toml`"] },
  "which dependencies does it have?": {
    has: ["requests>=2.31", "`pyproject.toml:5`", "pytest>=8"],
  },
  "where is the Store class?": { has: ["**`inventory/store.py:4`**"] },
  "who calls add_item?": { has: ["`inventory/load.py:8`", "`tests/test_store.py:6`", "Declared:"] },
  "what does Store.add_item do?": {
    has: ["`inventory/store.py:10`", "Adds to what is there.", "self.items[name]"],
  },
  "is there a TODO or FIXME left anywhere?": { has: ["`inventory/store.py:11`"] },
  "where are todos saved?": { has: [], hasNot: ["FIXME"] },
  'where does "count must not be negative" come from?': { has: ["`inventory/store.py:13`"] },
  "where does the program start?": { has: ["`inventory/__main__.py:5`"] },
  "explain inventory/store.py": {
    has: [": The stock of a warehouse.", "**Store**: Items and how many"],
  },
  "list the files in tests": { has: ["1 file in `tests/`", "`tests/test_store.py`"] },
  "how big is this codebase?": { has: [/^\d\d lines of code in 4 files/, ".py: "] },
});

questions("a Go project", linkCheck, {
  "give me an overview of the codebase": {
    has: [
      "**linkcheck**",
      "Finds dead links",
      "module example.com/linkcheck",
      "`internal/crawl/`: 1",
    ],
  },
  "how do I build this?": { has: ["`go build ./...`", "`go.mod`"] },
  "run the linter": { has: ["0 errors"], asks: sandboxHere ? [] : ["make lint"] },
  "what are its dependencies?": { has: ["golang.org/x/net v0.34.0", "`go.mod:8`", "fatih/color"] },
  "where is main?": { has: ["`main.go:7`"] },
  "what is a Crawler?": { has: ["`internal/crawl/crawl.go:7`: Crawler remembers which pages"] },
  "where is 'page was visited before' raised?": { has: ["`internal/crawl/crawl.go:14`"] },
  "what does Visit do?": { has: ["`internal/crawl/crawl.go:12`: Visit reads one page"] },
  "where are dead links found?": { has: ["internal/crawl/crawl.go:"] },
  'replace "8080" with "9090" in main.go': {
    has: ["Done: `main.go` is changed in 1 place (`main.go:5`)."],
    asks: ["Edit main.go"],
  },
  "which files are in internal?": { has: ["`internal/crawl/crawl.go`"] },
  "run seq 1 20000": {
    has: ["`seq 1 20000` succeeded (exit code 0)", "From its output:", "\n1\n", "\n20000\n"],
  },
});
