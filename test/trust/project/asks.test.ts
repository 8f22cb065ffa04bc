/** Requests of a project hold once approved, and ask again after a change. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runInProcess } from "../../in-process.ts";
import { pathsFor } from "../../../src/config/paths.ts";
import { openProject, type AskTrust } from "../../../src/trust/project/trust.ts";
import { openServices } from "../../app/services/open.ts";

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

const approve = () =>
  runInProcess({ env: env(), project: root }, ["trust", "--approve"], { cwd: root });

async function holding(answer: "trusted" | "untrusted" | null = null) {
  const { notices } = await open(answer);
  const opened = await openServices({ home, cwd: root });
  const hooks = (await opened.services.hooks()).filter(({ source }) => source !== "built-in");
  await opened.close();
  const made = join(root, "made");
  await runInProcess({ env: env(), project: root }, ["--offline", "-p", "run `touch made`"], {
    cwd: root,
  });
  const mayTouch = existsSync(made);
  rmSync(made, { force: true });
  return { hooks: hooks.length, mayTouch, notices };
}

const kinds: Record<string, [before: () => void, after: () => void]> = {
  "a hook": [
    () => put(".claude/settings.json", hook("echo 1")),
    () => put(".claude/settings.json", hook("echo 2")),
  ],
  "a hook in a local file": [
    () => put(".claude/settings.local.json", hook("echo 1")),
    () => put(".claude/settings.local.json", hook("echo 2")),
  ],
  "a rule in a local file": [
    () => put(".claude/settings.local.json", { permissions: { allow: ["Bash(make:*)"] } }),
    () => put(".claude/settings.local.json", { permissions: { allow: ["Bash"] } }),
  ],
  "a rule": [
    () => put(".claude/settings.json", { permissions: { allow: ["Bash(make:*)"] } }),
    () => put(".claude/settings.json", { permissions: { allow: ["Bash"] } }),
  ],
  "a server": [
    () => put(".mcp.json", { mcpServers: { x: { command: "bun", args: ["tools/s.js"] } } }),
    () => put(".mcp.json", { mcpServers: { x: { command: "evil" } } }),
  ],
  "tools of a command": [
    () => put(".claude/commands/x.md", "---\nallowed-tools: Bash(make:*)\n---\nDo"),
    () => put(".claude/commands/x.md", "---\nallowed-tools: Bash\n---\nDo"),
  ],
  "the prompt of a command with tools": [
    () => put(".claude/commands/x.md", "---\nallowed-tools: Bash(make:*)\n---\n!`make`"),
    () => put(".claude/commands/x.md", "---\nallowed-tools: Bash(make:*)\n---\n!`make evil`"),
  ],
};

describe.each(Object.entries(kinds))("%s", (_name, [before, after]) => {
  test("is asked about once, and again when it has changed", async () => {
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
    const { out } = await approve();
    expect(out).toMatch(/^Approved: .+\nTrusted: /);
    const asked: string[][] = [];
    await open("trusted", asked);
    expect(asked).toEqual([]);
  });
});

test.each([
  ["echo ok\nTrusted: /elsewhere", "echo ok⏎Trusted: /elsewhere"],
  ["echo \u001b]0;title\u0007 ok\u001b[2J", "echo <U+001B>]0;title<U+0007> ok<U+001B>[2J"],
  ["echo ok \r evil", "echo ok ⏎ evil"],
  ["echo \u202egro.live", "echo <U+202E>gro.live"],
  ["echo \u009b31m", "echo <U+009B>31m"],
])("%j is shown as one line, and nothing in it is hidden", async (command, shown) => {
  put(".claude/settings.json", hook(command));
  const asked: string[][] = [];
  await open("trusted", asked);
  expect(asked.flat()).toEqual([`hook SessionStart: ${shown}`]);
});

test("commands that a prompt runs are shown with the tools that it uses without asking", async () => {
  put(".claude/commands/x.md", "---\nallowed-tools: Bash(git log:*)\n---\n!`git log` $0 !`ls`");
  const asked: string[][] = [];
  await open("trusted", asked);
  expect(asked.flat()).toEqual(["/x runs git log; ls, and uses without asking: Bash(git log:*)"]);
});

test("only what was approved holds", async () => {
  put(".claude/settings.json", { ...hook("echo 1"), permissions: { allow: ["Bash(touch:*)"] } });
  await open("trusted");
  expect(await holding()).toEqual({ hooks: 1, mayTouch: true, notices: [] });
  put(".claude/settings.json", { ...hook("evil"), permissions: { allow: ["Bash"] } });
  const { hooks, mayTouch, notices } = await holding();
  expect([hooks, mayTouch]).toEqual([0, false]);
  expect(notices.join("")).toContain("mini-claude trust --approve");
});

test("nothing of an untrusted folder holds", async () => {
  put(".claude/settings.json", { ...hook("echo 1"), permissions: { allow: ["Bash"] } });
  expect(await holding("untrusted")).toMatchObject({ hooks: 0, mayTouch: false });
});

test.each([
  ["inner", ".git"],
  ["a/b/inner", ".git"],
  ["clone", ".hg"],
  ["x", ".jj"],
  ["deep/er", ".svn"],
])(
  "a repository in a trusted folder needs an answer of its own: %s with %s",
  async (name, kept) => {
    rmSync(join(root, ".git"), { recursive: true });
    await open("trusted");
    const inner = join(root, name);
    mkdirSync(join(inner, kept), { recursive: true });
    const options = { flags: { trust: false }, paths: paths(), env: env() };
    expect((await openProject({ ...options, cwd: inner }, null)).project.isTrusted).toBe(false);
    expect((await openProject({ ...options, cwd: root }, null)).project.isTrusted).toBe(true);
  },
);

test("the project's status line holds once it is approved, until it changes", async () => {
  const setLine = (command: string) =>
    put(".claude/settings.json", { statusLine: { type: "command", command } });
  setLine("echo theirs");
  const shown = async () => {
    const { services, close } = await openServices({ home, cwd: root });
    const lines = await services.statusLine({}, new AbortController().signal);
    await close();
    return lines;
  };
  expect(await shown()).toBeNull();
  const asked: string[][] = [];
  await open("trusted", asked);
  expect(await shown()).toEqual(["theirs"]);
  expect(asked.flat()).toContain("status line: echo theirs");
  setLine("echo other");
  expect(await shown()).toBeNull();
});

test("a server's variables are shown", async () => {
  const env = { NODE_OPTIONS: "--require ./tools/lint.js" };
  put(".mcp.json", { mcpServers: { x: { command: "node", args: ["x.js"], env } } });
  const asked: string[][] = [];
  await open("trusted", asked);
  expect(asked.flat().join()).toContain("NODE_OPTIONS=--require ./tools/lint.js");
});

test("a report names no more of the requests than fits", async () => {
  put(".claude/settings.json", {
    permissions: { allow: Array.from({ length: 3_000 }, (_, at) => `Bash(x${at}:*)`) },
  });
  await open("trusted");
  put(".claude/settings.json", {
    permissions: { allow: Array.from({ length: 3_000 }, (_, at) => `Bash(y${at}:*)`) },
  });
  const { notices } = await open(null);
  expect(notices.join("").length).toBeLessThan(1_200);
  expect(notices.join("")).toContain("Run mini-claude trust --approve.");
});

describe("a file that can no longer be read", () => {
  const settings = ".claude/settings.json";
  const broken: Record<string, [path: string, breaks: (file: string) => void]> = {
    "damaged settings": [settings, (file) => writeFileSync(file, '{"hooks": ')],
    "settings in another form": [settings, (file) => writeFileSync(file, "[]")],
    "settings nested too deeply": [
      settings,
      (file) => writeFileSync(file, `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`),
    ],
    "settings that are too large": [
      ".mini-claude/settings.json",
      (file) => writeFileSync(file, `{"a": "${"x".repeat(300_000)}"}`),
    ],
    "rules that are no list": [
      settings,
      (file) => writeFileSync(file, '{"permissions": {"deny": "Read(secret/**)"}}'),
    ],
    "a folder in its place": [settings, (file) => mkdirSync(file)],
    "a link": [".claude/settings.local.json", (file) => symlinkSync("/etc/hostname", file)],
    "a folder in place of servers": [".mcp.json", (file) => mkdirSync(file)],
  };

  test.each(Object.entries(broken))("%s is announced", async (_name, [path, breaks]) => {
    put(path, hook("echo 1"));
    expect((await open("trusted")).notices).toEqual([]);
    rmSync(join(root, path));
    breaks(join(root, path));
    const sentence = expect.stringMatching(/ is not active\. Correct it and start again\.$/);
    for (const trust of [false, true]) {
      const { notices } = await open(null, [], trust);
      expect(notices).toEqual([sentence]);
      expect(notices[0]).toStartWith(join(root, path));
    }
    expect((await approve()).err).toContain(join(root, path));
  });

  test.each([
    ["damaged", (file: string) => writeFileSync(file, "{"), "is damaged"],
    [
      "not readable",
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
      "cannot be read (EISDIR)",
    ],
  ])("the list of what was approved, when it is %s, is announced", async (_name, breaks, why) => {
    put(".claude/settings.json", hook("echo 1"));
    await open("trusted");
    breaks(paths().trust);
    const { project, notices } = await open(null);
    expect(project.isTrusted).toBe(false);
    expect(notices[0]).toContain(`${paths().trust} ${why}, so no folder is trusted.`);
    expect((await holding()).hooks).toBe(0);
  });
});
