/**
 * Questions that were written down before their answers were looked at, for repositories of three
 * kinds: each is answered rightly, or refused in one sentence that names what works.
 */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { loanPackage, pingService, taskApp } from "./more-projects.ts";
import { notesCli, shelfPackage, shopServer } from "./projects.ts";
import { openSession } from "./session.ts";

/** What the answer contains, and the text that a file holds afterwards; or what the refusal names. */
type Row = [
  request: string,
  expected: { says?: string[]; holds?: Record<string, string> } | { refuses: string },
];

const rows: Record<string, Row[]> = {
  notesCli: [
    ["hi", { says: ["I'm the offline model"] }],
    ["what is this project?", { says: ["**Jot**", "Keeps short notes"] }],
    ["what files are here", { says: ["6 files", "`src/notes.ts`"] }],
    ["explain src/cli.ts", { says: ["**`src/cli.ts`**, 13 lines", "`src/cli.ts:2`"] }],
    ["where is the log written?", { says: ["`src/log.ts:12`"] }],
    [
      "change the version in package.json to 0.2.0",
      { says: ["Done"], holds: { "package.json": '"version": "0.2.0"' } },
    ],
    [
      "rename formatLine to formatEntry in src/log.ts",
      {
        says: ["2 places"],
        holds: { "src/log.ts": "appendFileSync(logFile, formatEntry(message))" },
      },
    ],
    [
      'add a line "Built with care." to README',
      { says: ["Done"], holds: { "README.md": "```\nBuilt with care.\n" } },
    ],
    ["run the tests", { says: ["4 passed, 0 failed"] }],
    ["what changed last?", { says: ["`git log -1 --stat`", "Begin", "README.md"] }],
    ["how do I install it?", { says: ["`npm install`"] }],
    ["what flags does the cli take?", { says: ["`src/cli.ts:7`", "verbose"] }],
    ["find TODO", { says: ["`src/log.ts:13`"] }],
    ["which node version do I need?", { says: ["`package.json:6`", ">=20"] }],
    ["git status", { says: ["`git status` succeeded"] }],
    [
      'add "// Entry point" at the top of src/cli.ts',
      { says: ["Done"], holds: { "src/cli.ts": "// Entry point\nimport { parseArgs }" } },
    ],
    ["fix the failing test", { refuses: "run the tests" }],
    ["where are notes stored?", { says: ["`src/notes.ts:"] }],
    ["remove the TODO comment from src/log.ts", { refuses: 'remove "TEXT" from FILE' }],
    ["how do I undo a compaction?", { says: ["/undo-compact", "/help context"] }],
    ["how do I use a real model?", { says: ["ANTHROPIC_API_KEY", "/help start"] }],
  ],
  shelfPackage: [
    ["what does this do", { says: ["**shelf**", "keep track of books"] }],
    ["explain shelf/books.py", { says: ["Books and where they are", "**Shelf**"] }],
    ["how do i run the tests", { says: ["python3 -m pytest -q"] }],
    ["where is BookNotFound raised?", { says: ["**`shelf/books.py:21`**", "raise BookNotFound"] }],
    ["list all functions in shelf/books.py", { says: ["**add_book**", "**find**"] }],
    [
      "rename add_book to insert_book everywhere",
      {
        says: ["3 places"],
        holds: {
          "shelf/books.py": "def insert_book(",
          "tests/test_books.py":
            'def test_add_book():\n    shelf = Shelf()\n    shelf.insert_book("Dune")',
        },
      },
    ],
    [
      'change "Welcome" to "Hello" in shelf/cli.py',
      { says: ["Done"], holds: { "shelf/cli.py": 'GREETING = "Hello"' } },
    ],
    ["bump version to 1.1.0", { says: ["Done"], holds: { "pyproject.toml": '"1.1.0"' } }],
    ["which python version does it need?", { says: ["`pyproject.toml:5`", ">=3.11"] }],
    [
      "add requests>=2.32 to requirements.txt",
      { says: ["Done"], holds: { "requirements.txt": "click>=8\nrequests>=2.32\n" } },
    ],
    ["show me the last 3 commits", { says: ["`git log -3 --stat`", "Begin"] }],
    ["what's the biggest file?", { says: ["`shelf/books.py`: 15 lines"] }],
    ["write unit tests for books.py", { refuses: "create FILE" }],
    ["summarize the README", { says: ["`README.md`", "keep track of books", "## Usage"] }],
    ["who is the author?", { says: ["`pyproject.toml:6`", "Ada Reader"] }],
    ["add a docstring to find", { refuses: 'add "TEXT" to FILE' }],
  ],
  shopServer: [
    ["whats this", { says: ["**Corner shop**"] }],
    ["how do i start it", { says: ["`cargo run`"] }],
    ["where is the port configured?", { says: ["**`src/main.rs:7`**"] }],
    ["set the port to 4000", { says: ["Done"], holds: { "src/main.rs": "PORT: u16 = 4000;" } }],
    ["explain src/main.rs", { says: ["The web server of the shop."] }],
    ["what are the routes?", { says: ["`src/main.rs:12`", "/cart"] }],
    [
      'change the title to "My shop" in static/index.html',
      { says: ["Done"], holds: { "static/index.html": "<title>My shop</title>" } },
    ],
    [
      'create notes.md with "# Notes"',
      { says: ["is created"], holds: { "notes.md": "# Notes\n" } },
    ],
    ["undo that", { refuses: "/rewind" }],
    ["what did I change?", { says: ["git status --short"] }],
    ["is there a CI config?", { says: ["`.github/workflows/ci.yml`"] }],
    ["how many lines of code", { says: ["29 lines of code in 2 files"] }],
    ["open src/cart.rs", { says: ["pub struct Cart"] }],
    ["commit my changes", { refuses: "git commit" }],
    ["does it compile?", { says: ["`cargo build`"] }],
    ["what survives compaction?", { says: ["your own messages verbatim", "/help context"] }],
    ["translate the readme to German", { refuses: 'change "OLD" to "NEW" in FILE' }],
  ],
  loanPackage: [
    ["hey, what does this do?", { says: ["**shelf**", "Keep track of the books you lend."] }],
    ["how many tests do we have?", { says: ["2 lines in 1 file look like tests"] }],
    ["run just the store tests", { says: ["python3 -m pytest -q tests/test_store.py"] }],
    ["run test_store.py", { says: ["python3 -m pytest -q tests/test_store.py"] }],
    ["where do we store the data?", { says: ["`src/shelf/store.py:13`"] }],
    [
      "what happens when I take back a book that isn't lent?",
      { says: ["`src/shelf/store.py:31`", "is not lent"] },
    ],
    ["which environment variables does it read?", { says: ["SHELF_DB", "`src/shelf/cli.py:23`"] }],
    ["what commands does the cli have?", { says: ["`src/shelf/cli.py:17`", ":28`"] }],
    ["is there anything left to do in the code?", { says: ["list overdue books"] }],
    ["set DEFAULT_DAYS to 14", { holds: { "src/shelf/cli.py": "DEFAULT_DAYS = 14" } }],
    ["make DEFAULT_DAYS 30", { holds: { "src/shelf/cli.py": "DEFAULT_DAYS = 30" } }],
    ["who calls take_back?", { says: ["`src/shelf/cli.py:33`"] }],
    ["add a --version flag", { refuses: "create FILE" }],
    ["upgrade rich", { refuses: "run pip install NAME" }],
  ],
  pingService: [
    ["what endpoints are there?", { says: ["/results", "/hosts"] }],
    ["what port does the server listen on?", { says: ["`8080` (`cmd/server/main.go:14`)"] }],
    ["change the port to 9000", { holds: { "cmd/server/main.go": 'defaultAddr = ":9000"' } }],
    ["which go version?", { says: ["`go.mod:3`"] }],
    ["how do I build it?", { says: ["make build"] }],
    ["run tests in internal/store", { says: ["`go test ./internal/store/...`"] }],
    ["list all exported functions", { says: ["func New(max int)", "func (s *Store) Add"] }],
    ["is Store thread safe?", { refuses: "explain Store" }],
    ["make it 5", { refuses: "explain FILE" }],
  ],
  taskApp: [
    ["what framework is this?", { says: ['"react": "^19.0.0"'] }],
    ["which components are there?", { says: ["3 lines in 3 files", "AddForm", "TaskRow"] }],
    ["run the tests for useTasks", { says: ["npm run test -- tests/useTasks.test.ts"] }],
    [
      "rename TaskRow to TaskItem",
      { holds: { "src/App.tsx": 'import { TaskItem } from "./components/TaskRow";' } },
    ],
    [
      'make the placeholder say "New task"',
      { holds: { "src/components/AddForm.tsx": 'placeholder="New task"' } },
    ],
    [
      "change the heading from Tasks to My tasks",
      { holds: { "src/App.tsx": "<h1>My tasks</h1>" } },
    ],
    ['add "react-router" to package.json', { refuses: "run npm install NAME" }],
    ["why does the checkbox not work?", { refuses: "run the tests" }],
  ],
};

const projects: Record<string, Record<string, string>> = {
  notesCli,
  shelfPackage,
  shopServer,
  loanPackage,
  pingService,
  taskApp,
};

const git = async (folder: string, ...args: string[]): Promise<unknown> =>
  Bun.$`git -c user.name=Ada -c user.email=ada@example.com -c commit.gpgsign=false ${args}`
    .cwd(folder)
    .quiet();

/** Found before the real one, which takes seconds to start where it is installed. */
const pytest = { "pytest.py": "print('2 passed')\n" };

for (const [name, questions] of Object.entries(rows))
  test.each(questions)(`${name}: %s`, async (request, expected) => {
    const runsPytest = name === "loanPackage" && request.startsWith("run ");
    await using session = await openSession({ ...projects[name], ...(runsPytest && pytest) });
    if (/\b(?:changed?\b.*\?|commits$|git)/.test(request)) {
      await git(session.folder, "init", "--quiet");
      await git(session.folder, "add", "--all");
      await git(session.folder, "commit", "--quiet", "--message", "Begin");
    }
    const { text, asked } = await session.ask(request);
    if (!text.includes("More: /help")) expect(text).not.toMatch(/\bcache|\bcost|\$\d/i);
    if ("refuses" in expected) {
      expect(text).toStartWith("I can't do that");
      expect(text).toContain(expected.refuses);
      expect(text.match(/[.!?](?=\s|$)/g)).toHaveLength(1);
      expect(asked).toEqual([]);
      return;
    }
    for (const part of expected.says ?? []) expect(text).toContain(part);
    for (const [file, content] of Object.entries(expected.holds ?? {}))
      expect(await Bun.file(join(session.folder, file)).text()).toContain(content);
  });

test("a file that may hold secrets is asked about, and a denied one is said to be denied", async () => {
  await using session = await openSession(shopServer, {
    permission: { allow: false, reason: "private" },
  });
  const { text } = await session.ask("what is in .env");
  expect(text).toContain("was denied and did not run: “private”");
});

test("a file's name is one word of the command that runs its tests", async () => {
  const name = "tests/useTasks; touch hit.test.ts";
  await using session = await openSession({ ...taskApp, [name]: "" });
  const { text } = await session.ask("run the tests for useTasks");
  expect(text).toContain(`'${name}'`);
  expect(await Bun.file(join(session.folder, "hit.test.ts")).exists()).toBe(false);
});
