import { expect, test } from "bun:test";
import type { ToolInput } from "../../src/protocol/block.ts";
import type { FileStamp } from "../../src/protocol/entry.ts";
import { stampFiles } from "../../src/commands/import/writer.ts";
import { ourCall } from "../../src/tools/foreign-names.ts";

test.each([
  ["read", { path: "a.ts", offset: 3 }, "Read", { file_path: "a.ts", offset: 3 }],
  ["view", { path: "a.ts" }, "Read", { file_path: "a.ts" }],
  [
    "edit",
    { path: "a", oldText: "x", newText: "y" },
    "Edit",
    { file_path: "a", old_string: "x", new_string: "y" },
  ],
  [
    "str_replace",
    { path: "a", old_str: "x", new_str: "y" },
    "Edit",
    { file_path: "a", old_string: "x", new_string: "y" },
  ],
  ["MultiEdit", { file_path: "a", edits: [] }, "Edit", { file_path: "a", edits: [] }],
  ["create", { path: "a", file_text: "x" }, "Write", { file_path: "a", content: "x" }],
  ["shell", { command: ["bash", "-lc", "ls | wc"] }, "Bash", { command: "ls | wc" }],
  [
    "shell",
    { command: ["cat", "a.ts"], timeout_ms: 5 },
    "Bash",
    { command: "cat a.ts", timeout: 5 },
  ],
  ["exec_command", { cmd: "ls" }, "Bash", { command: "ls" }],
  ["grep_search", { query: "x", include: "*.ts" }, "Grep", { pattern: "x", glob: "*.ts" }],
  ["LS", { path: "/a" }, "Glob", { path: "/a" }],
  [
    "update_plan",
    { plan: [{ step: "a", status: "pending" }] },
    "TodoWrite",
    { todos: [{ content: "a", status: "pending" }] },
  ],
  ["Read", { file_path: "a" }, "Read", { file_path: "a" }],
  ["Read", { file_path: "a", path: "b" }, "Read", { file_path: "a", path: "b" }],
  ["WebFetch", { path: "a" }, "WebFetch", { path: "a" }],
  ["apply_patch", { input: "*** Begin Patch" }, "apply_patch", { input: "*** Begin Patch" }],
])("%s %j is %s %j", (name, input, ourName, ourInput) => {
  expect(ourCall({ name, input })).toEqual({ name: ourName, input: ourInput });
});

const stamp = { path: "a", hash: "", bytes: 0 };
test.each<[string, ToolInput, FileStamp[]]>([
  ["Read", { file_path: "a" }, [{ ...stamp, does: "read" }]],
  ["Read", { file_path: "a", offset: 11, limit: 5 }, [{ ...stamp, does: "read", lines: [11, 15] }]],
  ["Read", { file_path: "a", limit: 5 }, [{ ...stamp, does: "read", lines: [1, 5] }]],
  ["Read", { file_path: "a", offset: 3 }, [{ ...stamp, does: "read", lines: [3, 2_002] }]],
  ["Edit", { file_path: "a" }, [{ ...stamp, does: "write" }]],
  ["Write", { file_path: "a" }, [{ ...stamp, does: "write" }]],
  ["Read", { file_path: "" }, []],
  ["Bash", { file_path: "a" }, []],
])("%s %j stamps %j", (name, input, stamps) => {
  expect(stampFiles(name, input)).toEqual(stamps);
});
