import { afterAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ToolInput, ToolUseBlock } from "../../src/protocol/block.ts";
import {
  sessionRuleInWords,
  settingsRules,
  type SessionRule,
} from "../../src/trust/rules/rules.ts";
import { nothingShared } from "../../src/tools/toolbox.ts";
import { type Room, leave, room } from "../tools/room.ts";
import { verdictLab } from "./verdicts.ts";

afterAll(leave);

let calls = 0;

const use = (name: string, input: ToolInput): ToolUseBlock => {
  calls += 1;
  return { type: "tool_use", id: `u${calls}`, name, input };
};
const bash = (command: string) => use("Bash", { command });

/** The rule that "yes for the session" sets. */
async function allowed(at: Room, call: ToolUseBlock): Promise<string | null> {
  const review = await at.box.review(call);
  if (review.verdict !== "ask") throw new Error(`${JSON.stringify(call)} was not asked about`);
  at.box.allowForSession(call);
  return review.ask.rule;
}

const verdict = async (at: Room, call: ToolUseBlock) => (await at.box.review(call)).verdict;

test("what a yes for the session is for", async () => {
  const lab = verdictLab();
  for (const [command, words, mode = "default"] of [
    ["npm run build", "every “npm run build”"],
    ["npm run build ../beside/b.ts", "exactly this command"],
    ["python3 x.py", "exactly this command"],
    ["bash x.sh", "exactly this command"],
    ["rm a.ts", "exactly this command"],
    ["./run.sh", "exactly this command"],
    ["npx x", "exactly this command"],
    ["mvn package", "exactly this command"],
    ["npm run build $X", "exactly this command"],
    ["npm run dev &", "exactly this command"],
    ["npm install a", "commands that reach registry.npmjs.org and registry.yarnpkg.com", "auto"],
    ["curl https://example.com", "commands that reach example.com", "auto"],
    ["git push origin main", "every “git push” outside the sandbox"],
    ["git push origin main", "every “git push” outside the sandbox", "auto"],
    ["git push origin main && ./run.sh", "exactly this command", "auto"],
    ["./run.sh ../beside/b.ts; curl https://example.com", "exactly this command", "auto"],
    ["./run.sh ../beside/b.ts; git push origin main", "exactly this command", "auto"],
  ] as const) {
    const answer = await lab.judge(command, lab.situation(mode));
    const rule = answer.verdict === "ask" ? answer.rule : null;
    expect([command, rule && sessionRuleInWords(rule, String)]).toEqual([command, words]);
  }
  lab.remove();
});

test("a yes to an edit covers edits in the same folder, but not sensitive files", async () => {
  const at = await room({ sandbox: "off" });
  const write = (path: string) => use("Write", { file_path: path, content: "x" });
  expect(await allowed(at, write("src/a.ts"))).toBe("editing files in src");
  for (const path of ["src/b.ts", "src/deep/c.ts"])
    expect(await verdict(at, write(path))).toBe("allow");
  for (const path of ["srcs/b.ts", "b.ts", "src/../b.ts", "src/.env", "src/.husky/pre-commit"])
    expect([path, await verdict(at, write(path))]).toEqual([path, "ask"]);
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
  await allowed(parent, bash("npm test"));
  expect(await verdict(child, bash("npm test"))).toBe("allow");
  await allowed(child, bash("make build"));
  expect(await verdict(parent, bash("make build"))).toBe("allow");
  expect(await verdict(await room({ sandbox: "off" }), bash("npm test"))).toBe("ask");
  const denying = await room({
    shared,
    sandbox: "off",
    rules: { deny: ["Bash(npm:*)"] },
  });
  expect(await verdict(denying, bash("npm test"))).toBe("refuse");
});

test.each(["Grep", "Glob"])("a yes to %s in a folder outside is for that folder", async (name) => {
  const at = await room();
  const searched = join(at.outside, "searched");
  mkdirSync(searched);
  const call = use(name, { pattern: "x", path: searched });
  expect(await allowed(at, call)).toBe(`reading files in ${searched}`);
  const read = (path: string) => verdict(at, use("Read", { file_path: path }));
  expect(await read(join(searched, "a/b.txt"))).toBe("allow");
  expect(await read(join(at.outside, "a.txt"))).toBe("ask");
});
