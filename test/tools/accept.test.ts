/** Calls as models that know other agents send them. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolInput } from "../../src/protocol/block.ts";
import { leave, room } from "./room.ts";

afterAll(leave);

test.each<[string, ToolInput]>([
  ["Read", { path: "a.txt" }],
  ["Read", { filePath: "a.txt", offset: 0 }],
  ["Read", { absolute_path: "a.txt", limit: "5", offset: null }],
  ["Read", { file: "a.txt", reason: "to see" }],
  ["Edit", { path: "a.txt", oldText: "one", newText: "1" }],
  ["Edit", { filePath: "a.txt", oldString: "one", newString: "1", replaceAll: "true" }],
  ["Edit", { path: "a.txt", edits: [{ oldText: "one", newText: "1" }] }],
  ["Write", { path: "new.txt", contents: "1" }],
  ["Bash", { cmd: "echo 1", workdir: ".", yield_time_ms: 1_000, max_output_tokens: 100 }],
  ["Bash", { command: ["bash", "-lc", "echo 1"] }],
  ["Grep", { pattern: "one", context: 3, output_mode: "content" }],
  ["Grep", { pattern: "one", "-A": 400, output_mode: "content" }],
  ["Grep", { query: "one", include: "*.txt", file_path: ".", offset: 0 }],
  ["Glob", { pattern: "*.txt", dir_path: "." }],
  ["TodoWrite", { plan: [{ step: "Do it", status: "pending", id: "1" }], explanation: "x" }],
])("%s %j is accepted", async (name, input) => {
  const at = await room({ sandbox: "off" });
  at.put("a.txt", "one\ntwo\n");
  const outcome = await at.run(name, input);
  expect({ ...outcome, isError: outcome.isError }).toMatchObject({ isError: undefined });
});

test("calls of other agents that can only mean one of our tools are that tool", async () => {
  const at = await room({ sandbox: "off" });
  at.put("a.txt", "one\ntwo\n");
  expect(await at.say("exec_command", { cmd: "echo here", yield_time_ms: 1000 })).toBe("here");
  expect(await at.say("read", { path: "a.txt", offset: 0 })).toContain("one");
  const edits = [{ old_string: "one", new_string: "1" }];
  expect(await at.say("MultiEdit", { file_path: "a.txt", edits })).toContain("Changed");
  await at.say("Bash", { command: "read -r line", run_in_background: true });
  const seen = await at.say("TaskOutput", { task_id: "bash_1", block: false, timeout: 1000 });
  expect(seen).toContain("bash_1 is running");
  expect(await at.say("TaskStop", { task_id: "bash_1" })).toContain("bash_1");
  expect(await at.say("powershell", { command: "Get-Item a" })).toContain("There is no tool");
});

test.each<[string, ToolInput, string]>([
  ["Bash", {}, "Bash needs `command`. Parameters: command, description, timeout, "],
  [
    "Read",
    { offset: "three", limit: [] },
    "Read needs `file_path`. offset: Invalid input: expected number, received string; limit: Invalid",
  ],
  ["Read", { file_path: null }, "Invalid input for Read. file_path: Invalid input: "],
  ["Read", { file_path: [{}] }, "Invalid input for Read. file_path: Invalid input: "],
  ["Edit", { file_path: "a.txt" }, "Edit needs `old_string` and `new_string`, or `edits`."],
  [
    "Edit",
    { file_path: "a.txt", old_string: "", new_string: "x" },
    "old_string is empty. To create a file or replace all of it, use Write.",
  ],
  [
    "Edit",
    { file_path: "a.txt", old_string: "     1\tone", new_string: "x" },
    "Remove the line numbers from old_string.",
  ],
  ["Grep", { pattern: "x", output_mode: "all" }, "Invalid input for Grep. output_mode: "],
  ["TodoWrite", { todos: [{ content: "a", status: "started" }] }, "todos[0].status: "],
  ["TodoWrite", { todos: [{ content: "a\nb", status: "pending" }] }, "must be one line"],
  [
    "TodoWrite",
    { todos: [1, 2].map(() => ({ content: "a", status: "in_progress" })) },
    "at most one",
  ],
  ["Bash", { __invalid_json: '{"command": "ls' }, 'quotes as \\": {"command": "ls'],
  ["MultiEdit", {}, "There is no tool MultiEdit; use Edit with edits."],
  ["exec_command", {}, "There is no tool exec_command; use Bash."],
  ["read", {}, "There is no tool read; use Read."],
  ["killshell", {}, "There is no tool killshell; use KillShell."],
  ["TaskOutput", {}, "There is no tool TaskOutput; use BashOutput."],
  ["Task", {}, "There is no tool Task. Available: Bash, "],
  ["constructor", {}, "There is no tool constructor. Available: Bash, "],
])("%s %j is answered with what to do", async (name, input, words) => {
  const at = await room({ sandbox: "off" });
  at.put("a.txt", "one\ntwo\n");
  expect(await at.say(name, input)).toContain(words);
  const review = await at.review(name, input);
  if (review.verdict === "refuse") expect(review.reason).toContain(words);
  else expect(name).toBe("Edit");
});

const todos = [
  { content: "a", status: "completed", activeForm: "Doing a" },
  { content: "b", status: "in_progress" },
  { content: "c", status: "pending" },
];

test.each([
  ["Read", { file_path: "a.txt", offset: "2", limit: null }, "     2\ttwo\n[End of the file.]"],
  ["Read", { file_path: "a.txt", path: "b", offset: 2 }, "     2\ttwo\n[End of the file.]"],
  [
    "Read",
    { file_path: "a.txt", offset: -1, limit: 1.4 },
    "     1\tone\n[Lines 1-1 of 2. Continue with offset 2.]",
  ],
  ["Grep", { pattern: "TWO", "-i": " True", output_mode: "content", "-A": 51 }, "a.txt:2:two"],
  ["Grep", { pattern: 2, output_mode: "count" }, "No match in the workspace."],
  ["Bash", { command: ["/bin/sh", "-c", "echo 1"] }, "1"],
  ["Bash", { command: ["echo", "a  b"], workdir: null }, "a  b"],
  // Less than a second is meant in seconds.
  ["Bash", { cmd: "sleep 0.05; echo done", timeout: "30" }, "done"],
  ["TodoWrite", { todos: JSON.stringify(todos) }, "1 of 3 completed\n[x] a\n[>] b\n[ ] c"],
])("%s understands %j", async (name, input, text) => {
  const at = await room({ sandbox: "off" });
  at.put("a.txt", "one\ntwo\n");
  expect(await at.say(name, input)).toBe(text);
});

test.each([
  { sandbox: false },
  { dangerouslyDisableSandbox: true },
  { with_escalated_permissions: true },
  { sandbox_permissions: "require_escalated" },
])("%j asks to leave the sandbox", async (input) => {
  const at = await room({ mode: "auto" });
  if (!(await at.box.hasSandbox())) return;
  const { verdict } = await at.review("Bash", { command: "ls", ...input });
  expect([verdict, await at.verdict("Bash", { command: "ls" })]).toEqual(["ask", "allow"]);
});

test("a command starts in the folder that comes with it, and that is judged", async () => {
  const at = await room({ sandbox: "off" });
  mkdirSync(join(at.root, "sub"));
  expect(await at.say("Bash", { cmd: "pwd", workdir: join(at.root, "sub") })).toBe(
    join(at.root, "sub"),
  );
  expect(await at.say("Bash", { cmd: "pwd", workdir: at.outside })).toContain(
    "outside the workspace",
  );
  expect(await at.verdict("Bash", { cmd: "cat ../x", workdir: "sub" })).toBe("allow");
  expect(await at.verdict("Bash", { cmd: "cat ../x", workdir: "." })).toBe("ask");
});

test("several changes are made in order, all or none", async () => {
  const at = await room();
  const file = at.put("a.txt", "one\ntwo\nthree\n");
  const change = (old_string: string, new_string: string) => ({ old_string, new_string });
  const edits = [change("one", "1"), change("three", "3"), change("1\n", "first\n")];
  const said = await at.say("Edit", { file_path: "a.txt", edits });
  expect(said).toBe("Changed a.txt at 3 places (lines 1, 3).");
  expect(readFileSync(file, "utf8")).toBe("first\ntwo\n3\n");
  const many = Array.from({ length: 6 }, () => change("two", "two\n"));
  expect(await at.say("Edit", { file_path: "a.txt", edits: many })).toBe(
    "Changed a.txt at 6 places (line 2).",
  );
  at.put("a.txt", "first\ntwo\n3\n");
  await at.say("Read", { file_path: "a.txt" });
  const failed = await at.say("Edit", {
    file_path: "a.txt",
    edits: [change("two", "2"), change("x", "y")],
  });
  expect(failed).toStartWith("Nothing was changed. Change 2: a.txt does not contain old_string.");
  expect(readFileSync(file, "utf8")).toBe("first\ntwo\n3\n");
});
