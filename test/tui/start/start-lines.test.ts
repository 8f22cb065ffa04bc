import { expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { homePath } from "../../../src/tui/start/home-path.ts";
import { layoutStart, showGit, type StartInput } from "../../../src/tui/start/start-lines.ts";
import { themeOf } from "../../../src/tui/theme.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);

const latest = {
  session: "20261121-1000",
  cwd: "/home/ada/parser",
  title: "Fix the tokenizer",
  firstPrompt: "Fix the tokenizer",
  bytes: 1,
  at: "2026-11-21T10:00:00.000Z",
  messages: 300,
  turns: 61,
  busy: false,
};

const input: StartInput = {
  version: "0.2.0",
  model: "claude-sonnet-5-5",
  windowTokens: 1_000_000,
  folder: "~/parser",
  git: { branch: "main", changedFiles: 3 },
  instructions: ["AGENTS.md"],
  commands: 0,
  servers: 0,
  latest,
  keys: ["? all keys", "Ctrl-T context"],
  nowMs,
};

const lines = (columns: number, changes: Partial<StartInput> = {}): string[] =>
  layoutStart({ ...input, ...changes }, columns, themeOf("dark")).map((line) =>
    stripVTControlCharacters(line).trimEnd(),
  );

test("the start screen shows where you are, what was done last and what to try", () => {
  expect(lines(90).join("\n")).toMatchInlineSnapshot(`
    "mini-claude 0.2.0                                            claude-sonnet-5-5 · 1M tokens
    ~/parser   main, 3 files changed                                                 AGENTS.md

    Last here     Fix the tokenizer · 61 turns · 2 hours ago                  /resume opens it
    Try           what is this project?  ·  how do I run the tests?  ·  run the tests
    Keys          ? all keys    Ctrl-T context"
  `);
});

test("what applies in the folder is counted", () => {
  expect(lines(100, { commands: 2, servers: 1 })[1]).toEndWith(
    "AGENTS.md · 2 commands · 1 MCP server",
  );
});

test("on a narrow screen the parts are below each other", () => {
  expect(lines(44).join("\n")).toMatchInlineSnapshot(`
    "mini-claude 0.2.0
    claude-sonnet-5-5 · 1M tokens
    ~/parser   main, 3 files changed   AGENTS.md

    Last here     Fix the tokeniz… · 2 hours ago
    Try           what is this project?
    Keys          ? all keys    Ctrl-T context"
  `);
});

test("no line is wider than the screen", () => {
  const long = { ...latest, title: "漢字".repeat(80) };
  for (const columns of [20, 33, 60, 80, 120, 200]) {
    const changes = { latest: long, instructions: ["a".repeat(90)], folder: "/x".repeat(80) };
    for (const line of lines(columns, changes))
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
  }
});

test("names from the disk cannot draw", () => {
  const shown = layoutStart(
    { ...input, git: { branch: "a\x1b[2Jb", changedFiles: 0 }, instructions: ["\x1b]0;x\x07.md"] },
    80,
    themeOf("none"),
  ).join("");
  expect(shown).not.toContain("\x1b[2J");
  expect(shown).not.toContain("\x1b]");
});

test("what git says is put in words", () => {
  expect(showGit({ branch: "main", changedFiles: 0 })).toBe("main, no changes");
  expect(showGit({ branch: "main", changedFiles: 1 })).toBe("main, 1 file changed");
  expect(showGit({ branch: "main", changedFiles: null })).toBe("main");
});

test("the home folder is shortened", () => {
  expect(homePath("/home/ada/parser", "/home/ada")).toBe("~/parser");
  expect(homePath("/home/ada", "/home/ada")).toBe("~");
  expect(homePath("/home/adam", "/home/ada")).toBe("/home/adam");
  expect(homePath("/etc", "/")).toBe("/etc");
});
