import { expect, test } from "bun:test";
import { formatEntry, parseLine } from "../../src/log/parse.ts";
import type { ToolInput } from "../../src/protocol/block.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { todoWriteTool } from "../../src/tools/todo-write.ts";

const place = { id: "e2", parent: "e1", at: "2026-01-01T00:00:00.000Z" };

const answer = (name: string, input: ToolInput): Entry => ({
  ...place,
  type: "assistant",
  content: [
    { type: "thinking", thinking: "hm", signature: "s" },
    { type: "tool_use", id: "t1", name, input },
  ],
  model: "m",
  usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 },
  stop: "tool_use",
  sentAt: place.at,
});

const lifted = (entry: Entry): Entry | null => parseLine(formatEntry(entry)).entry;

test.each([
  [
    "bash",
    { command: "ls", timeout_ms: 5, background: true, description: "d" },
    "Bash",
    { command: "ls", timeout: 5, run_in_background: true, description: "d" },
  ],
  ["read_file", { path: "a", offset: 2 }, "Read", { file_path: "a", offset: 2 }],
  ["write_file", { path: "a", content: "c" }, "Write", { file_path: "a", content: "c" }],
  [
    "edit_file",
    { path: "a", old_text: "x", new_text: "y", replace_all: true },
    "Edit",
    { file_path: "a", old_string: "x", new_string: "y", replace_all: true },
  ],
  ["glob", { pattern: "*", path: "src" }, "Glob", { pattern: "*", path: "src" }],
  [
    "grep",
    { pattern: "x", path: "src", ignore_case: true, context: 1, limit: 9 },
    "Grep",
    { pattern: "x", path: "src", "-i": true, "-C": 1, head_limit: 9, output_mode: "content" },
  ],
  [
    "grep",
    { pattern: "x", output: "files" },
    "Grep",
    { pattern: "x", output_mode: "files_with_matches" },
  ],
  ["grep", { pattern: "x", output: "count" }, "Grep", { pattern: "x", output_mode: "count" }],
  ["task", { id: "t1", action: "output" }, "BashOutput", { bash_id: "t1" }],
  ["task", { id: "t1", action: "stop" }, "KillShell", { shell_id: "t1" }],
  ["recall", { query: "q" }, "Recall", { query: "q" }],
  ["compact", { focus: "f" }, "Compact", { focus: "f" }],
  ["bash", { __invalid_json: "{" }, "Bash", { __invalid_json: "{" }],
  ["todo", { items: "none" }, "TodoWrite", { todos: "none" }],
])("%s %j becomes %s %j", (name, input, newName, newInput) => {
  expect(lifted(answer(name, input))).toEqual(answer(newName, newInput));
});

test("a todo list keeps its items and their state; cancelled ones leave it", () => {
  const items = [
    { text: "a", status: "done" },
    { text: "b", status: "in_progress" },
    { text: "c", status: "cancelled" },
    { text: "d", status: "pending" },
  ];
  const todos = [
    { content: "a", status: "completed" },
    { content: "b", status: "in_progress" },
    { content: "d", status: "pending" },
  ];
  expect(lifted(answer("todo", { items }))).toEqual(answer("TodoWrite", { todos }));
  expect(todoWriteTool.schema.safeParse({ todos }).success).toBe(true);
});

test("a result names today's tool", () => {
  const result = (tool: string): Entry => ({
    ...place,
    type: "result",
    toolUse: "t1",
    tool,
    content: [],
    bytes: 0,
    lines: 0,
  });
  expect(lifted(result("edit_file"))).toEqual(result("Edit"));
  expect(lifted(result("mcp__files__read_file"))).toEqual(result("mcp__files__read_file"));
});

test.each(["Bash", "Read", "mcp__a__bash", "constructor"])("%s stays as it is", (name) => {
  const entry = answer(name, { path: "a", old_text: "b", items: [] });
  expect(lifted(entry)).toEqual(entry);
});
