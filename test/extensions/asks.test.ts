/** What a project asks for holds once it is approved, and is asked about again when it changed. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run as runTrust } from "../../src/commands/trust/trust.ts";
import { pathsFor } from "../../src/config/paths.ts";
import { approvedRules, pendingAsks, scriptsOf } from "../../src/extensions/asks.ts";
import { readHooks } from "../../src/extensions/hooks/settings.ts";
import { openProject, type AskTrust } from "../../src/extensions/trust.ts";
import { defaultSettings } from "../../src/config/settings.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "asks-")));
afterAll(() => rmSync(top, { recursive: true }));

let root = "";
let home = "";
let count = 0;

beforeEach(() => {
  count += 1;
  root = join(top, `case-${count}/project`);
  home = join(top, `case-${count}/home`);
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(home);
});

const put = (path: string, content: unknown): void => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
};

const hook = (command: string) => ({
  hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] },
});

const env = () => ({ HOME: home });
const paths = () => pathsFor(env(), root);

async function open(answer: "trusted" | "untrusted" | null, asked: string[][] = [], trust = false) {
  const ask: AskTrust<never> =
    answer &&
    (async (_, asks) => {
      asked.push([...asks]);
      return answer;
    });
  return openProject({ flags: { trust }, paths: paths(), env: env(), cwd: root }, ask);
}

async function holding(answer: "trusted" | "untrusted" | null = null) {
  const { project, notices } = await open(answer);
  const flags = { sources: ["user", "project", "local"] as const };
  const options = {
    flags: { sources: [...flags.sources] },
    settings: defaultSettings,
    paths: paths(),
    project,
  };
  const { hooks } = await readHooks(options);
  return { hooks: hooks.length, rules: await approvedRules(project), notices };
}

const kinds: Record<string, [before: () => void, after: () => void]> = {
  "a hook": [
    () => put(".claude/settings.json", hook("echo 1")),
    () => put(".claude/settings.json", hook("echo 2")),
  ],
  "a hook's script": [
    () => {
      put("check.sh", "echo 1");
      put(".claude/settings.json", hook("./check.sh"));
    },
    () => put("check.sh", "echo evil"),
  ],
  "a hook in a local file": [
    () => put(".claude/settings.local.json", hook("echo 1")),
    () => put(".claude/settings.local.json", hook("echo 2")),
  ],
  "a rule": [
    () => put(".claude/settings.json", { permissions: { allow: ["Bash(make:*)"] } }),
    () => put(".claude/settings.json", { permissions: { allow: ["Bash"] } }),
  ],
  "a server": [
    () => put(".mcp.json", { mcpServers: { x: { command: "bun", args: ["tools/s.js"] } } }),
    () => put(".mcp.json", { mcpServers: { x: { command: "evil" } } }),
  ],
  "a server's script": [
    () => {
      put("tools/s.js", "1");
      put(".mcp.json", { mcpServers: { x: { command: "bun", args: ["tools/s.js"] } } });
    },
    () => put("tools/s.js", "evil"),
  ],
  "tools of a command": [
    () => put(".claude/commands/x.md", "---\nallowed-tools: Bash(make:*)\n---\nDo"),
    () => put(".claude/commands/x.md", "---\nallowed-tools: Bash\n---\nDo"),
  ],
};

describe.each(Object.entries(kinds))("%s", (_name, [before, after]) => {
  test("is shown with the question, approved with it, and asked about when it changed", async () => {
    before();
    const asked: string[][] = [];
    await open("trusted", asked);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toHaveLength(1);
    await open("trusted", asked);
    expect(asked).toHaveLength(1);
    after();
    await open("untrusted", asked);
    expect(asked).toHaveLength(2);
    await open("trusted", asked);
    // Declined: not asked again, and the folder stays trusted.
    expect(asked).toHaveLength(2);
    expect((await open(null)).project.isTrusted).toBe(true);
  });

  test("is approved without a screen, and what was approved is printed", async () => {
    before();
    const printed: string[] = [];
    const io = { paths: paths(), env: env(), cwd: root, out: (text: string) => printed.push(text) };
    await runTrust(["--approve"], io as never);
    expect(printed.join("")).toMatch(/^Approved: .+\nTrusted: /);
    expect(await pendingAsks({ root, folder: root }, paths())).toEqual([]);
  });
});

test("only what was approved holds", async () => {
  put(".claude/settings.json", { ...hook("echo 1"), permissions: { allow: ["Bash(make:*)"] } });
  await open("trusted");
  expect(await holding()).toEqual({ hooks: 1, rules: ["Bash(make:*)"], notices: [] });
  put(".claude/settings.json", { ...hook("evil"), permissions: { allow: ["Bash"] } });
  const { hooks, rules, notices } = await holding();
  expect([hooks, rules]).toEqual([0, []]);
  expect(notices.join("")).toContain("mini-claude trust --approve");
});

test("a local file that git does not know is the user's own", async () => {
  put(".claude/settings.local.json", { permissions: { allow: ["Bash(git commit:*)"] } });
  Bun.spawnSync(["rm", "-rf", ".git"], { cwd: root });
  Bun.spawnSync(["git", "init", "-q"], { cwd: root });
  put("a.txt", "");
  Bun.spawnSync(["git", "add", "a.txt"], { cwd: root });
  await open("trusted");
  expect((await holding()).rules).toEqual(["Bash(git commit:*)"]);
  Bun.spawnSync(["git", "add", "-f", "."], { cwd: root });
  expect((await holding()).rules).toEqual([]);
});

test("nothing of an untrusted folder holds", async () => {
  put(".claude/settings.json", { ...hook("echo 1"), permissions: { allow: ["Bash"] } });
  expect(await holding("untrusted")).toMatchObject({ hooks: 0, rules: [] });
});

test.each(["inner", "a/b/inner", "clone", "x", "deep/er"])(
  "a repository in a trusted folder needs an answer of its own: %s",
  async (name) => {
    rmSync(join(root, ".git"), { recursive: true });
    await open("trusted");
    const inner = join(root, name);
    mkdirSync(join(inner, ".git"), { recursive: true });
    const options = { flags: { trust: false }, paths: paths(), env: env() };
    expect((await openProject({ ...options, cwd: inner }, null)).project.isTrusted).toBe(false);
    expect((await openProject({ ...options, cwd: root }, null)).project.isTrusted).toBe(true);
  },
);

test.each([
  ["./check.sh", ["check.sh"]],
  ["bun tools/server.js --port 1", ["tools/server.js", "tools"]],
  ['bash "$CLAUDE_PROJECT_DIR/.claude/hooks/x.sh"', [".claude/hooks/x.sh", ".claude/hooks"]],
  ["node --require=./tools/server.js x", ["tools/server.js", "tools"]],
  ["sh -c './check.sh && true'", ["check.sh"]],
  ["echo nothing", []],
])("%s runs %p", (command, scripts) => {
  for (const path of ["check.sh", "tools/server.js", ".claude/hooks/x.sh"]) put(path, "");
  expect(scriptsOf([command], root)).toEqual(scripts.map((path) => join(root, path)));
});
