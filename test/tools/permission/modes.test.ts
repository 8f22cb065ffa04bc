import { afterAll, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolInput } from "../../../src/protocol/block.ts";
import type { PermissionMode } from "../../../src/protocol/permission.ts";
import { type Room, leave, room } from "../room.ts";

afterAll(leave);

async function prepared(): Promise<Room> {
  const at = await room();
  at.put("a.ts", "a");
  at.put(".env", "KEY=1");
  at.put(".env.example", "KEY=");
  at.put(".git/config", "");
  writeFileSync(join(at.outside, "o.txt"), "o");
  symlinkSync(at.outside, join(at.root, "way-out"));
  await at.run("read_file", { path: "a.ts" });
  return at;
}

const modes: PermissionMode[] = ["default", "accept-edits", "plan", "bypass"];

const table: [string, ToolInput, string][] = [
  // default, accept-edits, plan, bypass
  ["read_file", { path: "a.ts" }, "allow allow allow allow"],
  ["read_file", { path: ".env.example" }, "allow allow allow allow"],
  ["read_file", { path: ".env" }, "ask ask ask allow"],
  ["read_file", { path: "../outside/o.txt" }, "ask ask ask allow"],
  ["read_file", { path: "way-out/o.txt" }, "ask ask ask allow"],
  ["read_file", { path: "~/.ssh/id_ed25519" }, "ask ask ask allow"],
  ["read_file", { path: "/etc/hostname" }, "ask ask ask allow"],
  ["read_file", { path: "~/.mini-claude/settings.json" }, "ask ask ask allow"],
  ["read_file", { path: "~/.mini-claude/tool-results/1-bash-x.txt" }, "allow allow allow allow"],
  ["glob", { pattern: "*" }, "allow allow allow allow"],
  ["grep", { pattern: "x", path: ".." }, "ask ask ask allow"],
  ["grep", { pattern: "x", path: ".env" }, "ask ask ask allow"],
  ["todo", { items: [] }, "allow allow allow allow"],
  ["write_file", { path: "new.ts", content: "" }, "ask allow refuse allow"],
  ["edit_file", { path: "a.ts", old_text: "a", new_text: "b" }, "ask allow refuse allow"],
  ["write_file", { path: ".env.local", content: "" }, "ask ask refuse allow"],
  ["write_file", { path: ".ENV", content: "" }, "ask ask refuse allow"],
  ["write_file", { path: ".git/hooks/pre-commit", content: "" }, "ask ask refuse allow"],
  ["write_file", { path: "sub/.git/config", content: "" }, "ask ask refuse allow"],
  ["write_file", { path: ".bashrc", content: "" }, "ask ask refuse allow"],
  ["write_file", { path: "../outside/new.txt", content: "" }, "refuse refuse refuse refuse"],
  ["write_file", { path: "way-out/new.txt", content: "" }, "refuse refuse refuse refuse"],
  ["write_file", { path: "~/.bashrc", content: "" }, "refuse refuse refuse refuse"],
  [
    "write_file",
    { path: "~/.mini-claude/tool-results/x", content: "" },
    "refuse refuse refuse refuse",
  ],
  ["bash", { command: "ls" }, "allow allow allow allow"],
  ["bash", { command: "npm test" }, "ask ask refuse allow"],
  ["bash", { command: "rm -rf build" }, "ask ask refuse allow"],
];

test.each(table)("%s %j: %s", async (tool, input, verdicts) => {
  const at = await prepared();
  const seen: string[] = [];
  for (const mode of modes) {
    at.box.mode = mode;
    seen.push((await at.review(tool, input)).verdict);
  }
  expect(seen.join(" ")).toBe(verdicts);
});

test("a refusal in plan mode tells the model what to do instead", async () => {
  const at = await room({ mode: "plan" });
  const review = await at.review("write_file", { path: "x", content: "" });
  expect(review.verdict === "refuse" && review.reason).toContain("describe what you would do");
});

test("what asks shows the change as a diff", async () => {
  const at = await prepared();
  const review = await at.review("edit_file", { path: "a.ts", old_text: "a", new_text: "b" });
  if (review.verdict !== "ask") throw new Error("not asked");
  expect(review.ask.detailKind).toBe("diff");
  expect(review.ask.detail).toContain("-a");
  expect(review.ask.detail).toContain("+b");
});

test("a path that leads elsewhere since it was judged is not touched", async () => {
  const at = await room();
  at.put("folder/keep", "");
  const call = {
    type: "tool_use",
    id: "t1",
    name: "write_file",
    input: { path: "folder/new/x.txt", content: "x" },
  } as const;
  expect((await at.box.review(call)).verdict).toBe("ask");
  symlinkSync(at.outside, join(at.root, "folder/new"));
  const outcome = await at.box.run(call, {
    signal: new AbortController().signal,
    progress: () => undefined,
    background: new Promise(() => undefined),
  });
  expect(outcome.isError).toBe(true);
  expect(await Bun.file(join(at.outside, "x.txt")).exists()).toBe(false);
});

test("a call that could not be judged cannot succeed unjudged", async () => {
  const at = await room();
  at.put("a.txt", "one");
  const input = { path: "a.txt", old_text: "two", new_text: "three" };
  const call = { type: "tool_use", id: "t2", name: "edit_file", input } as const;
  const review = await at.box.review(call);
  expect(review.verdict === "refuse" && review.reason).toContain("a.txt");
  const file = at.put("a.txt", "two");
  const outcome = await at.box.run(call, {
    signal: new AbortController().signal,
    progress: () => undefined,
    background: new Promise(() => undefined),
  });
  expect(outcome.isError).toBe(true);
  expect(await Bun.file(file).text()).toBe("two");
});

const unreadable: [string, string, ToolInput][] = [
  ["edit_file", "a near miss", { old_text: "-----BEGIN KEY-----\nhiden", new_text: "x" }],
  ["edit_file", "an exact match", { old_text: "hidden", new_text: "x" }],
  ["edit_file", "something else", { old_text: "nothing of it", new_text: "x" }],
  ["edit_file", "every match", { old_text: "e", new_text: "x", replace_all: true }],
  ["write_file", "new content", { content: "x" }],
];

test.each(unreadable)("%s with %s tells nothing about a secret file", async (tool, _, input) => {
  const answers = new Set<string>();
  for (const content of ["-----BEGIN KEY-----\nhidden\n", "other\n", "hidden hidden", null]) {
    const at = await room();
    for (const path of [".env", "server.pem", "credentials.json"]) {
      if (content !== null) at.put(path, content);
      const review = await at.review(tool, { path, ...input });
      expect(review.verdict).toBe("ask");
      expect(JSON.stringify(review)).not.toContain("BEGIN KEY-----\\nhidden");
      answers.add(JSON.stringify(review).replaceAll(path, "file"));
    }
    const outside = join(at.outside, "id_rsa");
    if (content !== null) writeFileSync(outside, content);
    const review = await at.review(tool, { path: outside, ...input });
    expect(review.verdict === "refuse" && review.reason).toContain("outside the workspace");
  }
  if (tool === "edit_file" && input["old_text"] === "nothing of it") expect(answers.size).toBe(1);
});

test("a file of the workspace that may be read explains why an edit fails", async () => {
  const at = await room();
  at.put("a.txt", "one\n");
  await at.run("read_file", { path: "a.txt" });
  for (const [old_text, why] of [
    ["two", "a.txt"],
    ["", "old_text"],
  ] as const) {
    const review = await at.review("edit_file", { path: "a.txt", old_text, new_text: "x" });
    expect(review.verdict === "refuse" && review.reason).toContain(why);
  }
});

test("a workspace inside our own folder is a workspace all the same", async () => {
  const outer = await room();
  outer.put("project/a.txt", "a");
  const at = await room({
    workspace: join(outer.root, "project"),
    resultsDir: join(outer.root, "tool-results"),
  });
  expect((await at.review("read_file", { path: "a.txt" })).verdict).toBe("allow");
  expect((await at.review("read_file", { path: "../config.json" })).verdict).toBe("ask");
});
