/** Requests of a project hold once approved, and ask again after a change. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { saveTrust } from "../../../src/trust/project/project.ts";
import { openServices } from "../../app/services/open.ts";
import { leave, temporaryFolder } from "../../tools/room.ts";
import { openProgram } from "../../ui/program.ts";
import { projectIn, type Project } from "../program.ts";

afterAll(leave);

let at: Project;

beforeEach(() => {
  at = projectIn(temporaryFolder());
  mkdirSync(join(at.project, ".git"));
});

const settings = ".claude/settings.json";

const hook = (command: string) => ({
  SessionStart: [{ hooks: [{ type: "command", command }] }],
});

/** What is not used until it is approved, as the report names it. */
async function pending(): Promise<string[]> {
  const { err } = await at.ask();
  const [, asks = ""] =
    /until you approve it: (.*)\. Run mini-claude trust --approve/.exec(err) ?? [];
  return asks.split("; ").filter(Boolean);
}

/** What is approved without a screen, as it is printed. */
async function approve(): Promise<string[]> {
  const { out } = await at.run(["trust", "--approve"]);
  return out.split("\n").flatMap((line) => /^Approved: (.*)/.exec(line)?.[1] ?? []);
}

const command = (tools: string, prompt: string): string =>
  `---\nallowed-tools: ${tools}\n---\n${prompt}`;

const servers = (config: object) => ({ mcpServers: { x: config } });

/** Files that ask for something, as they are approved, and changed. */
const requests: [path: string, approved: unknown, changed: unknown, asked: string][] = [
  [settings, { hooks: hook("true") }, { hooks: hook("evil") }, "hook SessionStart: evil"],
  [
    ".claude/settings.local.json",
    { permissions: { allow: ["Bash(make:*)"] }, hooks: hook("true 2") },
    { permissions: { allow: ["Bash"] }, hooks: hook("true 2") },
    "allow Bash",
  ],
  [
    ".mini-claude/settings.json",
    { statusLine: { type: "command", command: "sh status.sh" } },
    { statusLine: { type: "command", command: "sh other.sh" } },
    "status line: sh other.sh",
  ],
  [
    ".mcp.json",
    servers({ command: "true", args: ["tools/s.js"] }),
    servers({ command: "evil" }),
    "MCP server x: evil",
  ],
  [
    ".claude/commands/x.md",
    command("Bash(make:*)", "Do"),
    command("Bash", "Do"),
    "/x uses without asking: Bash",
  ],
  [
    ".claude/commands/y.md",
    command("Bash(make:*)", "!`make`"),
    command("Bash(make:*)", "!`make evil`"),
    "/y runs make evil, and uses without asking: Bash(make:*)",
  ],
  [
    ".claude/skills/z/SKILL.md",
    command("Read", "Do"),
    command("Bash", "Do"),
    "/z uses without asking: Bash",
  ],
];

test("what a project asks for is approved once, and asked about again when it has changed", async () => {
  saveTrust(at.trust, at.project, "trusted");
  for (const [path, approved] of requests) {
    at.put(path, approved);
    expect([path, await pending()]).not.toEqual([path, []]);
    rmSync(join(at.project, path));
  }
  for (const [path, approved] of requests) at.put(path, approved);
  at.put(".claude/commands/plain.md", "Do");
  expect((await at.ask("hi", ["--trust"])).err).not.toContain("until you approve");
  const all = await pending();
  expect(all).toHaveLength(8);
  expect(await approve()).toEqual(all);
  expect(await pending()).toEqual([]);
  for (const [path, , changed] of requests) at.put(path, changed);
  expect((await pending()).toSorted()).toEqual(requests.map(([, , , asked]) => asked).toSorted());
});

test("what is forgotten is asked about again", async () => {
  for (const [path, approved] of requests) at.put(path, approved);
  const all = await approve();
  await at.run(["trust", "--remove"]);
  saveTrust(at.trust, at.project, "trusted");
  expect(await pending()).toEqual(all);
  await approve();
  await at.run(["mcp", "approve", "--reset"]);
  expect(await pending()).toEqual(["MCP server x: true tools/s.js"]);
});

test("what is declined is not asked about again, and the folder stays trusted", async () => {
  saveTrust(at.trust, at.project, "trusted");
  at.put("AGENTS.md", "Hum.");
  at.put(settings, { hooks: hook("touch ran") });
  const how = { cwd: at.project, env: at.env, args: ["--offline"], isTrusted: false };
  const screen = await openProgram({ ...how, wanted: "❯ No, continue without them" });
  await screen.hit("n", /❯ Ask/);
  await screen.press("ctrl+d");
  await screen.exited;
  expect(await pending()).toEqual([]);
  expect((await at.ask()).log).toContain("Hum.");
  expect(existsSync(join(at.project, "ran"))).toBe(false);
});

test("each request is shown as one line, and nothing in it is hidden", async () => {
  const commands = [
    ["echo ok\nTrusted: /elsewhere", "echo ok⏎Trusted: /elsewhere"],
    ["echo \u001b]0;title\u0007 ok\u001b[2J", "echo <U+001B>]0;title<U+0007> ok<U+001B>[2J"],
    ["echo ok \r evil", "echo ok ⏎ evil"],
    ["echo \u202egro.live", "echo <U+202E>gro.live"],
    ["echo \u009b31m", "echo <U+009B>31m"],
  ] as const;
  at.put(settings, { hooks: { Stop: commands.flatMap(([line]) => hook(line).SessionStart) } });
  at.put(".claude/commands/x.md", command("Bash(git log:*)", "!`git log` $0 !`ls`"));
  const env = { NODE_OPTIONS: "--require ./tools/lint.js" };
  at.put(".mcp.json", servers({ command: "node", args: ["x.js"], env }));
  expect(await approve()).toEqual([
    ...commands.map(([, shown]) => `hook Stop: ${shown}`),
    expect.stringContaining("NODE_OPTIONS=--require ./tools/lint.js"),
    "/x runs git log; ls, and uses without asking: Bash(git log:*)",
  ]);
});

/** What of the project's settings holds: its hook, its rule, its status line. */
async function holding() {
  const marks = ["hooked", "made"].map((name) => join(at.project, name));
  await at.ask("run `touch made`");
  const isThere = marks.map((mark) => existsSync(mark));
  for (const mark of marks) rmSync(mark, { force: true });
  const { services, close } = await openServices({ home: at.home, cwd: at.project });
  const lines = await services.statusLine({}, new AbortController().signal);
  await close();
  return [...isThere, lines?.join() === "theirs"];
}

test("only what was approved holds, and nothing of an untrusted folder", async () => {
  const allow = ["Bash(touch:*)"];
  const approved = {
    hooks: hook("touch hooked"),
    permissions: { allow },
    statusLine: { type: "command", command: "echo theirs" },
  };
  at.put(settings, approved);
  await approve();
  expect(await holding()).toEqual([true, true, true]);
  at.put(settings, {
    hooks: hook("touch hooked; :"),
    permissions: { allow: ["Bash"] },
    statusLine: { type: "command", command: "echo theirs; :" },
  });
  expect(await holding()).toEqual([false, false, false]);
  at.put(settings, approved);
  saveTrust(at.trust, at.project, "untrusted");
  expect(await holding()).toEqual([false, false, false]);
});

test("a report names no more of the requests than fits", async () => {
  saveTrust(at.trust, at.project, "trusted");
  const allow = Array.from({ length: 3_000 }, (_, number) => `Bash(x${number}:*)`);
  at.put(settings, { permissions: { allow } });
  const { err } = await at.ask();
  expect(err.length).toBeLessThan(1_400);
  expect(err).toContain("Run mini-claude trust --approve.");
});

test("everything that an untrusted folder would run or tell the model is named, once", async () => {
  for (const name of [
    ".claude/commands/fix.md",
    ".claude/skills/draw/SKILL.md",
    ".claude/rules/tests.md",
    ".claude/agents/scout.md",
    "app/.claude/commands/other.md",
    "app/CLAUDE.md",
  ])
    at.put(name, "Words.");
  for (const name of [".mcp.json", settings]) at.put(name, {});
  const { err } = await at.ask("hi", [], { cwd: join(at.project, "app") });
  expect(err).toContain(
    "not trusted: CLAUDE.md, .claude/rules, .claude/settings.json (hooks), .claude/agents, .claude/commands, " +
      ".claude/skills, .mcp.json, git status. Start",
  );
});

describe("a file that can no longer be read is announced", () => {
  type Breaks = (file: string) => void;
  const write =
    (text: string): Breaks =>
    (file) =>
      writeFileSync(file, text);
  const folder: Breaks = (file) => mkdirSync(file);

  test.each<[string, Record<string, Breaks>]>([
    [
      "damaged, too large, a link, a folder",
      {
        [settings]: write('{"hooks": '),
        ".mini-claude/settings.json": write(`{"a": "${"x".repeat(300_000)}"}`),
        ".claude/settings.local.json": (file) => symlinkSync("/etc/hostname", file),
        ".mcp.json": folder,
      },
    ],
    [
      "of another form, nested too deeply, with rules that are no list",
      {
        [settings]: write("[]"),
        ".mini-claude/settings.json": write(`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`),
        ".claude/settings.local.json": write('{"permissions": {"deny": "Read(secret/**)"}}'),
      },
    ],
  ])("%s", async (_, broken) => {
    for (const path of Object.keys(broken)) at.put(path, "\n");
    expect((await at.run(["trust", "--approve"])).err).toBe("");
    for (const [path, breaks] of Object.entries(broken)) {
      rmSync(join(at.project, path));
      breaks(join(at.project, path));
    }
    for (const { err } of [
      await at.ask(),
      await at.ask("hi", ["--trust"]),
      await at.run(["trust", "--approve"]),
    ])
      for (const path of Object.keys(broken))
        expect(err).toMatch(
          new RegExp(`${join(at.project, path)}.* is not active\\. Correct it and start again\\.`),
        );
  });

  test.each<[string, Breaks, string]>([
    ["damaged", write("{"), "is damaged"],
    ["a folder", (file) => (rmSync(file), mkdirSync(file)), "cannot be read (EISDIR)"],
  ])("decisions that are %s trust nothing", async (_, breaks, why) => {
    at.put(settings, { hooks: hook("touch hooked") });
    await approve();
    breaks(at.trust);
    const { err } = await at.ask();
    expect(err).toContain(`${at.trust} ${why}, so no folder is trusted.`);
    expect(err).toContain("Not used, because this folder is not trusted");
    const trusted = await at.ask("hi", ["--trust", "--setting-sources", "user"]);
    expect(trusted.err).toContain("Your approvals for this folder could not be read");
    expect(existsSync(join(at.project, "hooked"))).toBe(false);
  });
});
