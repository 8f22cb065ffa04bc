import { afterAll, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolInput } from "../../src/protocol/block.ts";
import type { PermissionMode } from "../../src/protocol/permission.ts";
import { type Room, leave, quietRun, room } from "../tools/room.ts";

afterAll(leave);

async function prepared(): Promise<Room> {
  const at = await room({ sandbox: "off" });
  at.put("a.ts", "a");
  at.put(".env", "KEY=1");
  at.put(".env.example", "KEY=");
  at.put(".git/config", "");
  writeFileSync(join(at.outside, "o.txt"), "o");
  symlinkSync(at.outside, join(at.root, "way-out"));
  await at.run("Read", { file_path: "a.ts" });
  return at;
}

const modes: PermissionMode[] = ["default", "accept-edits", "auto", "plan", "bypass"];

const table: [string, ToolInput, string][] = [
  // default, accept-edits, auto, plan, bypass
  ["Read", { file_path: "a.ts" }, "allow allow allow allow allow"],
  ["Read", { file_path: ".env.example" }, "allow allow allow allow allow"],
  ["Read", { file_path: ".env" }, "ask ask ask ask allow"],
  ["Read", { file_path: "../outside/o.txt" }, "ask ask ask ask allow"],
  ["Read", { file_path: "~/.ssh/id_ed25519" }, "ask ask ask ask allow"],
  ["Read", { file_path: "~/.mini-claude/settings.json" }, "ask ask ask ask allow"],
  ["Read", { file_path: "~/.mini-claude/tool-results/1-bash-x.txt" }, "ask ask ask ask allow"],
  ["Glob", { pattern: "*" }, "allow allow allow allow allow"],
  ["Grep", { pattern: "x", path: ".." }, "ask ask ask ask allow"],
  ["Grep", { pattern: "x", path: ".env" }, "ask ask ask ask allow"],
  ["TodoWrite", { todos: [] }, "allow allow allow allow allow"],
  ["Write", { file_path: "new.ts", content: "" }, "ask allow allow refuse allow"],
  ["Edit", { file_path: "a.ts", old_string: "a", new_string: "b" }, "ask allow allow refuse allow"],
  ["Write", { file_path: ".env.local", content: "" }, "ask ask ask refuse allow"],
  ["Write", { file_path: ".git/hooks/pre-commit", content: "" }, "ask ask ask refuse allow"],
  ["Write", { file_path: "../outside/new.txt", content: "" }, "refuse refuse refuse refuse refuse"],
  ["Write", { file_path: "way-out/new.txt", content: "" }, "refuse refuse refuse refuse refuse"],
  ["Write", { file_path: "~/.bashrc", content: "" }, "refuse refuse refuse refuse refuse"],
  ["Bash", { command: "cat a.ts" }, "allow allow allow allow allow"],
  ["Bash", { command: "rm -rf build" }, "ask ask ask refuse allow"],
];

test("the verdict in each mode", async () => {
  const at = await prepared();
  for (const [tool, input, verdicts] of table) {
    const seen: string[] = [];
    for (const mode of modes) {
      at.box.mode = mode;
      seen.push(await at.verdict(tool, input));
    }
    expect([tool, input, seen.join(" ")]).toEqual([tool, input, verdicts]);
  }
});

test("a question shows the change as a diff; a refusal in plan mode tells what to do instead", async () => {
  const at = await prepared();
  const review = () => at.review("Edit", { file_path: "a.ts", old_string: "a", new_string: "b" });
  const detail = expect.stringMatching(/^-a$[^]*^\+b$/m);
  expect(await review()).toMatchObject({ ask: { detailKind: "diff", detail } });
  at.box.mode = "plan";
  const reason = expect.stringContaining("say what you would do");
  expect(await review()).toMatchObject({ verdict: "refuse", reason });
});

test("a call that could not be judged cannot succeed unjudged", async () => {
  const at = await room();
  at.put("a.txt", "one");
  const input = { file_path: "a.txt", old_string: "two", new_string: "three" };
  const call = { type: "tool_use", id: "t2", name: "Edit", input } as const;
  const review = await at.box.review(call);
  expect(review.verdict === "refuse" && review.reason).toContain("a.txt");
  const file = at.put("a.txt", "two");
  const outcome = await at.box.run(call, quietRun());
  expect(outcome.isError).toBe(true);
  expect(await Bun.file(file).text()).toBe("two");
});

test.each<[string, ToolInput]>([
  ["Edit", { old_string: "-----BEGIN KEY-----\nhiden", new_string: "x" }],
  ["Edit", { old_string: "hidden", new_string: "x" }],
  ["Edit", { old_string: "nothing of it", new_string: "x" }],
  ["Edit", { old_string: "e", new_string: "x", replace_all: true }],
  ["Write", { content: "x" }],
])("%s with %p reveals nothing about a secret file", async (tool, input) => {
  const answers = new Set<string>();
  for (const content of ["-----BEGIN KEY-----\nhidden\n", "other\n", "hidden hidden", null]) {
    const at = await room();
    for (const path of [".env", "server.pem"]) {
      if (content !== null) at.put(path, content);
      const review = await at.review(tool, { file_path: path, ...input });
      expect(review.verdict).toBe("ask");
      expect(JSON.stringify(review)).not.toContain("BEGIN KEY-----\\nhidden");
      answers.add(JSON.stringify(review).replaceAll(path, "file"));
    }
    const outside = join(at.outside, "id_rsa");
    if (content !== null) writeFileSync(outside, content);
    const reason = expect.stringContaining("outside the workspace");
    expect(await at.review(tool, { file_path: outside, ...input })).toMatchObject({ reason });
  }
  if (input["old_string"] === "nothing of it") expect(answers.size).toBe(1);
});

test("a workspace inside our own folder is still a workspace", async () => {
  const outer = await room();
  outer.put("project/a.txt", "a");
  const at = await room({
    workspace: join(outer.root, "project"),
    resultsDir: join(outer.root, "tool-results"),
  });
  expect(await at.verdict("Read", { file_path: "a.txt" })).toBe("allow");
  expect(await at.verdict("Read", { file_path: "../config.json" })).toBe("ask");
});

test("a denial names the rule that it is due to", async () => {
  const deny = ["Read(secret/**)", "Bash(rm:*)", "WebFetch(domain:evil.test)"];
  const at = await room({ rules: { deny } });
  const reason = async (tool: string, input: ToolInput) => {
    const review = await at.review(tool, input);
    return review.verdict === "refuse" && review.reason;
  };
  expect(await reason("Read", { file_path: "secret/a" })).toStartWith(
    "The rule Read(secret/**) of the settings denies this. Continue without it",
  );
  expect(await reason("Bash", { command: "rm a" })).toContain("The rule Bash(rm:*)");
  expect(await reason("WebFetch", { url: "https://evil.test/" })).toContain("domain:evil.test");
});
