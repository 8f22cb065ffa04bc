/** `-p` with Claude Code's flags: what is printed, what is written, and the exit code. */

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, say, type Answer } from "../fake-api/index.ts";
import { openProgram } from "./program.ts";

const { box, sent, ...program } = await openProgram("known-shapes");

const run = (flags: string[], answers: Answer[]) =>
  program.run(["--output-format=json", ...flags], answers);

const write = (name: string) => ({ content: [call("Write", { file_path: name, content: "x" })] });
const isWritten = (name: string): boolean => existsSync(join(box.project, name));

test("a session has the given id, keeps it when resumed, and gets another when forked", async () => {
  const id = "0c5e0d3a-0f3c-4b39-9d65-0a6f4ce8b0ab";
  expect((await run(["--session-id", id], [say("One.")])).result).toMatchObject({
    result: "One.",
    session_id: id,
  });
  expect((await run(["--resume", id], [say("Two.")])).result["session_id"]).toBe(id);
  const forked = await run(["--resume", id, "--fork-session"], [say("Three.")]);
  expect(forked.result["session_id"]).toMatch(/^[0-9a-f-]{36}$/);
  expect(forked.result["session_id"]).not.toBe(id);
  expect(sent()).toContain("Two.");
  const again = await box.run(["-p", "--session-id", id, "go"]);
  expect(again).toMatchObject({ code: 2 });
  expect(again.err).toContain("There is already a session");
});

test("a temporary session leaves nothing, and can continue another one", async () => {
  const id = "1c5e0d3a-0f3c-4b39-9d65-0a6f4ce8b0ab";
  const own = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.includes(`-${process.pid}-`));
  const before = own();
  const flags = ["--session-id", id, "--no-session-persistence"];
  expect((await run(flags, [say("One.")])).result["session_id"]).toBe(id);
  // Folders of earlier runs may be removed meanwhile.
  expect(own().filter((name) => !before.includes(name))).toEqual([]);
  const gone = await box.run(["-p", "--resume", id, "go"]);
  expect(gone.err).toContain(`No session of this folder is called “${id}”`);
  await run(["--continue", "--no-session-persistence"], [say("Two.")]);
  expect(sent()).toContain("Three.");
});

test("without approvals everything runs but what a rule denies", async () => {
  const flags = ["--dangerously-skip-permissions", "--disallowedTools", "Write(denied)"];
  const { code, result } = await run(flags, [write("free"), write("denied"), say("Done.")]);
  expect(code).toBe(0);
  expect([isWritten("free"), isWritten("denied")]).toEqual([true, false]);
  expect(result["permission_denials"]).toMatchObject([{ tool_input: { file_path: "denied" } }]);
});

test("limits end a run: model calls, and cost", async () => {
  const read = { content: [call("Glob", { pattern: "*" })] };
  const turns = await run(["--max-turns", "2"], [read, read]);
  expect(turns).toMatchObject({ code: 1, result: { subtype: "error_max_turns", num_turns: 2 } });
  const budget = await run(["--max-budget-usd", "0.000001"], [say("Expensive.")]);
  expect(budget).toMatchObject({
    code: 1,
    result: { subtype: "error_max_budget_usd", is_error: true },
  });
});

test("while a model is overloaded another one answers", async () => {
  const busy = { status: 529, headers: { "retry-after": "0" } };
  const { code, result } = await run(
    ["--model", "opus", "--fallback-model", "sonnet"],
    [busy, busy, busy, say("Here.")],
  );
  expect(code).toBe(0);
  expect(Object.keys(Object(result["modelUsage"]))).toEqual(["claude-sonnet-5-5"]);
});
