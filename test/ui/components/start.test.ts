import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { join } from "node:path";
import { Builder } from "../../context/build.ts";
import { plainRules } from "../../model-rules.ts";
import { stage } from "../stage.ts";
import { mcpWith, type Services, summaryOf } from "../quiet-services.ts";

type Latest = NonNullable<Awaited<ReturnType<Services["latestSession"]>>>;

const nowMs = Date.UTC(2026, 10, 21, 12);

const latest: Latest = {
  ...summaryOf("20261121-1000", "Fix the tokenizer", { at: "2026-11-21T10:00:00.000Z" }),
  turns: 61,
};

type Folder = {
  latest?: Latest;
  instructions?: string[];
  git?: Awaited<ReturnType<Services["gitState"]>>;
  cwd?: string;
  commands?: Awaited<ReturnType<Services["commands"]>>;
  mcp?: Services["mcp"];
};

/** The rows of the start screen, from its name to its keys. */
async function drawn(columns: number, folder: Folder = {}): Promise<readonly string[]> {
  const { git = { branch: "main", changedFiles: 3 }, instructions = ["AGENTS.md"] } = folder;
  const on = stage(new Builder(), {
    isEmpty: true,
    nowMs,
    version: "0.2.0",
    cwd: folder.cwd ?? join(homedir(), "parser"),
    rules: { ...plainRules, model: "claude-sonnet-5-5", windowTokens: 1_000_000 },
    services: {
      gitState: async () => git,
      instructions: async () => instructions,
      latestSession: async () => folder.latest ?? latest,
      commands: async () => folder.commands ?? [],
      ...(folder.mcp ? { mcp: folder.mcp } : {}),
    },
  });
  on.controller.folder.load();
  await on.settle();
  const rows = on.rows(columns, 24);
  const end = rows.findIndex((row) => Bun.stripANSI(row).includes("Keys "));
  return rows.slice(1, end + 1);
}

const lines = async (columns: number, folder: Folder = {}): Promise<string[]> =>
  (await drawn(columns, folder)).map((line) => Bun.stripANSI(line).trim());

test("the start screen shows where you are, what was done last and what to try", async () => {
  expect((await lines(90)).join("\n")).toMatchInlineSnapshot(`
    "mini-claude 0.2.0                                      claude-sonnet-5-5 · 980k tokens
    ~/parser   main, 3 files changed                                             AGENTS.md

    Last here     Fix the tokenizer · 2 hours ago · 61 turns   /resume opens it
    Try           what is this project?  ·  run the tests  ·  list the files
    Keys          ? all keys    Ctrl-P commands    Ctrl-T context    Ctrl-S compact"
  `);
});

test("where there is no session, that of a folder that is gone is offered", async () => {
  const cwd = "/home/ada/old";
  const shown = await lines(90, { latest: { ...latest, cwd, turns: null, isHomeless: true } });
  expect(shown[3]).toContain("Was renamed?  /home/ada/old · Fix the tokenizer");
  expect(shown[3]).toContain("/resume continues it");
});

test("instructions and commands of the folder are counted", async () => {
  const command = { description: "", argumentHint: "" };
  const names = ["one", "two", "mcp__files__read", "review"];
  const commands = names.map((name) => ({
    ...command,
    name,
    ...(name === "review" && { isBuiltIn: true as const }),
  }));
  expect((await lines(100, { commands, mcp: mcpWith([{}]) }))[1]).toEndWith(
    "AGENTS.md · 2 commands · 1 MCP server",
  );
});

test("on a narrow screen the parts are below each other", async () => {
  expect((await lines(44)).join("\n")).toMatchInlineSnapshot(`
    "mini-claude 0.2.0
    claude-sonnet-5-5 · 980k tokens
    ~/parser   main, 3 files changed   AGENTS.md

    Last here     Fix the tokeniz… · 2 hours ago
    Try           what is this project?
    Keys          ? all keys    Ctrl-P commands"
  `);
});

test("no line is wider than the screen", async () => {
  const long = { ...latest, title: "漢字".repeat(80) };
  for (const columns of [20, 33, 60, 80, 120, 200]) {
    const changes = { latest: long, instructions: ["a".repeat(90)], cwd: "/x".repeat(80) };
    for (const line of await lines(columns, changes))
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
  }
});

test("names from the disk cannot control the terminal", async () => {
  const git = { branch: "a\x1b[2Jb", changedFiles: 0 };
  const shown = (await drawn(80, { git, instructions: ["\x1b]0;x\x07.md"] })).join("");
  expect(shown).toContain("ab, no changes");
  expect(shown).not.toContain("\x1b[2J");
  expect(shown).not.toContain("\x1b]");
});

test.each([
  [join(homedir(), "parser"), 1, "~/parser   main, 1 file changed"],
  [homedir(), 0, "~   main, no changes"],
  [`${homedir()}m/x`, null, `${homedir()}m/x   main`],
])("the folder %s with %p changed files is shown as %s", async (cwd, changedFiles, shown) => {
  const [, folder] = await lines(120, { cwd, git: { branch: "main", changedFiles } });
  expect(folder).toMatch(new RegExp(`^${RegExp.escape(shown)} {2,}AGENTS`));
});
