import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { Builder } from "../../context/build.ts";
import { plainRules } from "../../model-rules.ts";
import { stage } from "../stage.ts";
import { mcpWith, type Services, summaryOf } from "../quiet-services.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);

const latest = {
  ...summaryOf("20261121-1000", "Fix the tokenizer", { at: "2026-11-21T10:00:00.000Z" }),
  turns: 61,
};

/** The rows of the start screen, from its name to its keys. */
async function lines(columns: number, folder: Partial<Services> = {}, cwd = "~/parser") {
  const on = stage(new Builder(), {
    isEmpty: true,
    nowMs,
    version: "0.2.0",
    cwd: cwd.replace("~", homedir()),
    rules: { ...plainRules, model: "claude-sonnet-5-5", windowTokens: 1_000_000 },
    services: {
      gitState: async () => ({ branch: "main", changedFiles: 3 }),
      instructions: async () => ["AGENTS.md"],
      latestSession: async () => latest,
      ...folder,
    },
  });
  on.controller.folder.load();
  await on.settle();
  const rows = on.rows(columns, 24).map((row) => Bun.stripANSI(row).trim());
  return rows.slice(1, rows.findIndex((row) => row.startsWith("Keys ")) + 1);
}

test("where there is no session, that of a folder that is gone is offered", async () => {
  const old = { ...latest, cwd: "/home/ada/old", turns: null, isHomeless: true as const };
  const shown = await lines(90, { latestSession: async () => old });
  expect(shown[3]).toContain("Was renamed?  /home/ada/old · Fix the tokenizer");
  expect(shown[3]).toContain("/resume continues it");
});

test("instructions and commands of the folder are counted", async () => {
  const command = { description: "", argumentHint: "" };
  const own = ["one", "two", "mcp__files__read"].map((name) => ({ name, ...command }));
  const commands = async () => [...own, { name: "review", ...command, isBuiltIn: true as const }];
  const [, folder] = await lines(100, { commands, mcp: mcpWith([{}]) });
  expect(folder).toEndWith("AGENTS.md · 2 commands · 1 MCP server");
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
  const changes = {
    latestSession: async () => ({ ...latest, title: "漢字".repeat(80) }),
    instructions: async () => ["a".repeat(90)],
  };
  for (const columns of [20, 33, 60, 80, 120, 200])
    for (const line of await lines(columns, changes, "/x".repeat(80)))
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
});

test.each([
  ["~/parser", 1, "~/parser   main, 1 file changed"],
  ["~", 0, "~   main, no changes"],
  ["~m/x", null, `${homedir()}m/x   main`],
])("the folder %s with %p changed files is shown as %s", async (cwd, changedFiles, shown) => {
  const [, folder] = await lines(
    120,
    { gitState: async () => ({ branch: "main", changedFiles }) },
    cwd,
  );
  expect(folder).toMatch(new RegExp(`^${RegExp.escape(shown)} {2,}AGENTS`));
});
