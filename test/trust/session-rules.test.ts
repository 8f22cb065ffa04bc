import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import {
  sessionRuleInWords,
  settingsRules,
  type SessionRule,
} from "../../src/trust/rules/rules.ts";
import { nothingShared } from "../../src/tools/toolbox.ts";
import { type Room, leave, room } from "../tools/room.ts";
import { verdictLab, verdictWord } from "./verdicts.ts";

afterAll(leave);

const bash = (command: string, id = command): ToolUseBlock => ({
  type: "tool_use",
  id,
  name: "Bash",
  input: { command },
});

/** The rule that "yes for the session" sets. */
async function allowed(at: Room, command: string): Promise<string | null> {
  const call = bash(command);
  const review = await at.box.review(call);
  if (review.verdict !== "ask") throw new Error(`${command} was not asked about`);
  at.box.allowForSession(call);
  return review.ask.rule ?? "asked every time";
}

const verdict = async (at: Room, command: string) =>
  (await at.box.review(bash(command, `again ${command}`))).verdict;

const exact: Record<string, string[]> = {
  "npm test": [
    "npm test --script-shell=./evil",
    "npm test --prefix evil",
    "npm test -- --config=evil.js",
    "npm --prefix evil test",
    "npm test evil",
    "npm test; touch x",
    "npm test && touch x",
    "npm test | sh",
    "npm test > ~/.bashrc",
    "npm test $(touch x)",
    "npm test & touch x",
    "FOO=1 npm test",
    "NODE_OPTIONS=--require=./x npm test",
    "npm  test",
    "npm test\ntouch x",
    "npm t",
  ],
  "git push origin main": ["git push", "git push origin main:other", "git push evil main"],
  "rm x": ["rm y", "rm x y"],
  "ls > x": ["ls > y", "ls > x; y"],
  "make $X": ["make $Y", "X=1; make $X"],
  "find . -exec ls {} +": ["find . -exec rm {} +"],
  "curl https://example.com": [
    "curl https://example.com -o .git/hooks/x",
    "curl https://evil.example",
  ],
};

test.each(Object.entries(exact))("only the exact line %j is allowed", async (command, others) => {
  const at = await room({ sandbox: "off" });
  expect(await allowed(at, command)).toBe("exactly this command");
  expect(await verdict(at, command)).toBe("allow");
  for (const other of [...others, `${command} more`, `${command}; touch x`]) {
    expect(await verdict(at, other)).not.toBe("allow");
  }
});

describe("a yes for the session to a confined command covers its program", () => {
  const yes = async (command: string, more: string[], mode: "default" | "auto" = "default") => {
    const lab = await verdictLab();
    const now = lab.situation(mode);
    const first = await lab.judge(command, now);
    if (first.verdict === "ask" && first.rule) now.rules.add(first.rule);
    const words = [];
    for (const line of more) words.push(`${line}: ${verdictWord(await lab.judge(line, now))}`);
    lab.remove();
    return [first.verdict === "ask" && first.rule && sessionRuleInWords(first.rule, String), words];
  };

  test("with other words, and beside what reads", async () => {
    const lines = [
      "npm run build -- -w",
      "npm run build && ls",
      "npm run other",
      "npm run build; touch x",
    ];
    expect(await yes("npm run build", lines)).toEqual([
      "every “npm run build”",
      [
        "npm run build -- -w: runs",
        "npm run build && ls: runs",
        "npm run other: asks",
        "npm run build; touch x: asks",
      ],
    ]);
  });

  test("not where an option or a redirection leads elsewhere", async () => {
    const lines = [
      "git commit -F .env",
      "git -c core.hooksPath=x commit -m a",
      "git commit -m x > b.ts",
      "git commit -m $(touch x)",
      "git commit -m y",
    ];
    expect((await yes("git commit -m x", lines))[1]).toEqual([
      "git commit -F .env: warns",
      "git -c core.hooksPath=x commit -m a: asks",
      "git commit -m x > b.ts: asks",
      "git commit -m $(touch x): asks",
      "git commit -m y: runs",
    ]);
  });

  test("but not programs that run or remove whatever they are given", async () => {
    for (const command of ["python3 x.py", "bash x.sh", "rm a.ts", "./run.sh", "npx x"])
      expect([command, (await yes(command, []))[0]]).toEqual([command, "exactly this command"]);
  });

  test("and hosts in every mode", async () => {
    const lines = [
      "npm install b",
      "curl https://registry.npmjs.org/x",
      "curl https://example.com",
    ];
    expect(await yes("npm install a", lines, "auto")).toEqual([
      "commands that reach registry.npmjs.org and registry.yarnpkg.com",
      [
        "npm install b: runs",
        "curl https://registry.npmjs.org/x: runs",
        "curl https://example.com: asks",
      ],
    ]);
  });

  test("outside the sandbox, for that program alone", async () => {
    const lines = [
      "git push",
      "git push | head -3",
      "git push | ./head",
      "git push --force",
      "git push && npm test",
      "git push --receive-pack=x",
      "docker ps",
    ];
    for (const mode of ["default", "auto"] as const)
      expect(await yes("git push origin main", lines, mode)).toEqual([
        "every “git push” outside the sandbox",
        [
          "git push: runs",
          "git push | head -3: runs",
          "git push | ./head: asks",
          "git push --force: warns",
          "git push && npm test: asks",
          "git push --receive-pack=x: asks",
          "docker ps: asks",
        ],
      ]);
  });
});

test("a danger is asked about again although its line was allowed", async () => {
  const at = await room({ sandbox: "off" });
  const danger = bash("git push --force");
  await at.box.review(danger);
  at.box.allowForSession(danger);
  expect(await verdict(at, "git push --force")).toBe("ask");
});

test("permissions end with the session", async () => {
  const at = await room({ sandbox: "off" });
  await allowed(at, "npm test");
  const next = await room({ workspace: at.root, sandbox: "off" });
  expect(await verdict(next, "npm test")).toBe("ask");
});

test("a yes to an edit covers edits in the same folder, but not sensitive files", async () => {
  const at = await room({ sandbox: "off" });
  const write = (path: string): ToolUseBlock => ({
    type: "tool_use",
    id: `write ${path}`,
    name: "Write",
    input: { file_path: path, content: "x" },
  });
  const review = async (path: string) => (await at.box.review(write(path))).verdict;
  const first = await at.box.review(write("src/a.ts"));
  expect(first.verdict === "ask" && first.ask.rule).toBe("editing files in src");
  at.box.allowForSession(write("src/a.ts"));
  expect(await review("src/b.ts")).toBe("allow");
  expect(await review("src/deep/c.ts")).toBe("allow");
  for (const path of [
    "srcs/b.ts",
    "b.ts",
    "src/../b.ts",
    "src/.env",
    "src/.husky/pre-commit",
    "src/.vscode/tasks.json",
    "src/extensions/hooks/pre-commit",
    "src/HEAD",
  ]) {
    expect(await review(path)).toBe("ask");
  }
});

test.each<[SessionRule, string, string | null]>([
  [{ kind: "folder", does: "read", folder: "/w/a" }, "reading files in a", "Read(//w/a/**)"],
  [{ kind: "folder", does: "write", folder: "/w/a" }, "editing files in a", "Edit(//w/a/**)"],
  [
    { kind: "folder", does: "write", folder: "/w" },
    "editing files in the workspace",
    "Edit(//w/**)",
  ],
  [{ kind: "folder", does: "read", folder: "/w/a[b]" }, "reading files in a[b]", null],
  [{ kind: "line", beyond: null, line: "npm test" }, "exactly this command", "Bash(npm test)"],
  [{ kind: "line", beyond: null, line: "ls *" }, "exactly this command", null],
  [{ kind: "line", beyond: null, line: "ls\npwd" }, "exactly this command", null],
  [{ kind: "tool", tool: "mcp__s__t" }, "every use of mcp__s__t", "mcp__s__t"],
  [
    { kind: "programs", names: ["git push"], outside: true, hosts: [] },
    "every “git push” outside the sandbox",
    "Bash(git push:*)",
  ],
  [
    { kind: "programs", names: [], outside: false, hosts: ["example.com"] },
    "commands that reach example.com",
    "WebFetch(domain:example.com)",
  ],
  [{ kind: "line", beyond: null, line: "x".repeat(200) }, "exactly this command", null],
])("%j in words, and as a rule for the settings", (rule, words, written) => {
  const show = (path: string): string => path.slice(3) || ".";
  expect(sessionRuleInWords(rule, show)).toBe(words);
  expect(settingsRules(rule, "Bash")).toEqual(written === null ? [] : [written]);
});

test("what is allowed for the session holds for its subagents, and vice versa", async () => {
  const shared = nothingShared();
  const parent = await room({ shared, sandbox: "off" });
  const child = await room({ shared, sandbox: "off" });
  await allowed(parent, "npm test");
  expect(await verdict(child, "npm test")).toBe("allow");
  await allowed(child, "make build");
  expect(await verdict(parent, "make build")).toBe("allow");
  expect(await verdict(await room({ sandbox: "off" }), "npm test")).toBe("ask");
  const denying = await room({
    shared,
    sandbox: "off",
    rules: { allow: [], ask: [], deny: ["Bash(npm:*)"] },
  });
  expect(await verdict(denying, "npm test")).toBe("refuse");
});

test.each(["Grep", "Glob"])("a yes to %s in a folder outside is for that folder", async (name) => {
  const at = await room();
  const searched = join(at.outside, "searched");
  mkdirSync(searched);
  const input = { pattern: "x", path: searched };
  const call: ToolUseBlock = { type: "tool_use", id: name, name, input };
  const review = await at.box.review(call);
  if (review.verdict !== "ask") throw new Error(review.verdict);
  expect(review.ask.rule).toBe(`reading files in ${searched}`);
  at.box.allowForSession(call);
  const read = async (path: string) => (await at.review("Read", { file_path: path })).verdict;
  expect(await read(join(searched, "a/b.txt"))).toBe("allow");
  expect(await read(join(at.outside, "a.txt"))).toBe("ask");
});
