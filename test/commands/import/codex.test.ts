import { expect, test } from "bun:test";
import { unreadableInputKey } from "../../../src/protocol/block.ts";
import { CodexSession } from "./codex-lines.ts";
import { imported, inShort, findPath, sent, sentText } from "./read.ts";

function shop(): CodexSession {
  const session = new CodexSession();
  // A fork repeats the header of its original.
  session.add("session_meta", { id: "0199-other", cwd: "/other" });
  session.user("<environment_context>\n  <cwd>/work/shop</cwd>\n</environment_context>");
  session.user("where is the till?");
  session.reasoning("Look at both.");
  session.call("c1", "shell", { command: ["cat", "till.ts"] });
  session.call("c2", "shell", "{broken");
  session.tokens(1_000, 800, 50);
  session.output("c1", "count the till");
  session.output("c2", "Process exited with code 1\nOutput:\nno such thing");
  session.reasoning("");
  session.answer("In till.ts.");
  session.tokens(1_200, 1_000, 20);
  return session;
}

test("joins the items of a response into one answer with its results and usage", () => {
  const session = shop();
  const entries = imported(session.text);
  expect(inShort(findPath(entries)).slice(0, -2)).toEqual([
    "session",
    "context: <environment_context>\n  <cwd>/work/shop</cwd>\n</environment_context>",
    "user: where is the till?",
    "model: Codex: unknown",
    "assistant: (Look at both.) | Bash(c1) | Bash(c2)",
    "result c1: count the till",
    "result c2: Process exited with code 1\nOutput:\nno such thing",
    "assistant: In till.ts.",
    expect.stringContaining("context: The conversation so far was held with Codex"),
  ]);
  const bytes = Buffer.byteLength(session.text);
  expect(entries[0]).toMatchObject({ cwd: "/work/shop", imported: { id: "0199-codex", bytes } });
  const answers = entries.filter((entry) => entry.type === "assistant");
  expect(answers[0]?.content).toMatchObject([
    {},
    { input: { command: "cat till.ts" } },
    { input: { [unreadableInputKey]: "{broken" } },
  ]);
  expect(answers.map(({ usage }) => usage)).toEqual([
    { input: 200, cacheRead: 800, cacheWrite: 0, output: 50 },
    { input: 200, cacheRead: 1_000, cacheWrite: 0, output: 20 },
  ]);
  expect(entries.filter((entry) => entry.type === "result")[1]).toMatchObject({ isError: true });
  expect(inShort(entries).at(-1)).toContain("Lines without a counterpart here: 2.");
  sent(entries);
});

test("imports all kinds of calls, and changes of model", () => {
  const session = new CodexSession();
  session.add("turn_context", { cwd: "/elsewhere", model: "gpt-5.2" });
  session.user("do it");
  session.item({ type: "custom_tool_call", call_id: "p", name: "apply_patch", input: "*** Begin" });
  session.item({ type: "custom_tool_call_output", call_id: "p", output: "patched" });
  session.item({ type: "web_search_call", status: "completed", action: { query: "tills" } });
  session.answer("done");
  session.event({ type: "error", message: "Too busy." });
  session.event({ type: "turn_aborted" });
  session.item({ type: "ghost_snapshot", ghost_commit: {} });
  session.add("world_state", {});
  const entries = imported(session.text);
  expect(inShort(findPath(entries)).slice(3, -3)).toEqual([
    "assistant: apply_patch(p)",
    "result p: patched",
    "assistant: [web_search_call] | done",
    "note error: Too busy.",
  ]);
  expect(inShort(entries).at(-1)).toContain("Lines without a counterpart here: 3.");
  sent(entries);
});

test("accepts a call without a result, and a late result", () => {
  const session = new CodexSession();
  session.user("go");
  session.call("lost", "shell", {});
  session.tokens(10, 0, 1);
  session.call("found", "shell", {});
  session.output("found", "here");
  session.output("lost", "too late");
  session.user("and?");
  const messages = sentText(session.text);
  expect(messages).toContain("here");
  expect(messages).toContain("Interrupted");
});

test("imports an encrypted compaction as a note, a readable one as a cut that keeps the user's messages, and not what Codex tells its own model", () => {
  const session = shop();
  session.add("compacted", { message: "", replacement_history: [] });
  expect(sentText(session.text)).toContain("count the till");
  expect(inShort(imported(session.text)).join()).toContain("its summary is encrypted");
  const developer = { type: "input_text", text: "You are Codex." };
  session.item({ type: "message", role: "developer", content: [developer] });
  const words = (text: string) => ({
    type: "message",
    role: "user",
    content: [{ type: "input_text", text }],
  });
  session.add("compacted", {
    message: "SUMMARY",
    replacement_history: [
      words("where is the till?"),
      words("# AGENTS.md instructions\nUse tabs."),
      { type: "message", role: "developer", content: [developer] },
      words("<environment_context>\n  <cwd>/work/shop</cwd>\n</environment_context>"),
      words("SUMMARY"),
    ],
  });
  session.user("go on");
  const messages = sentText(session.text);
  expect(messages).toMatch(/where is the till\?.*Use tabs\..*SUMMARY/);
  expect(messages.match(/SUMMARY/g)).toHaveLength(1);
  expect(messages).not.toContain("count the till");
  expect(messages).not.toContain("You are Codex.");
  expect(messages).not.toContain("environment_context");
});

test.each<[string, unknown, boolean]>([
  ["an exit code", "Chunk ID: a\nProcess exited with code 3\nOutput:\nno", true],
  ["a good one", "Chunk ID: a\nProcess exited with code 0\nOutput:\nExit code: 1", false],
  ["a process that still runs", "Process running with session ID 8\nOutput:\n", false],
  ["an exit code in a block", [{ type: "input_text", text: '{"exit_code":7,"output":""}' }], true],
  ["a patch that failed", [{ type: "input_text", text: '{"output":"Exit code: 1\\nno"}' }], true],
  ["a patch", [{ type: "input_text", text: '{"output":"Exit code: 0\\nSuccess"}' }], false],
  ["plain words", "Process exited", false],
])("reads from the output whether a call failed: %s", (_, output, failed) => {
  const session = new CodexSession();
  session.user("go");
  session.call("c", "exec_command", { cmd: "x" });
  session.output("c", output);
  const result = imported(session.text).find((entry) => entry.type === "result");
  expect(result?.isError ?? false).toBe(failed);
});

test("counts what was written to the cache apart from other input, and each count once", () => {
  const session = new CodexSession();
  session.user("go");
  session.answer("done");
  const last_token_usage = {
    input_tokens: 100,
    cached_input_tokens: 60,
    cache_write_input_tokens: 30,
    output_tokens: 5,
  };
  const info = { last_token_usage, total_token_usage: { total_tokens: 105 } };
  session.event({ type: "token_count", info });
  session.reasoning("Hm.");
  session.event({ type: "token_count", info });
  session.answer("more");
  session.tokens(5, 9, -1);
  const answers = imported(session.text).filter((entry) => entry.type === "assistant");
  expect(answers.map(({ content, usage }) => [content.length, usage])).toEqual([
    [1, { input: 10, cacheRead: 60, cacheWrite: 30, output: 5 }],
    [2, { input: 0, cacheRead: 9, cacheWrite: 0, output: 0 }],
  ]);
});
