import { expect, test } from "bun:test";
import { project } from "../../../src/context/view/view.ts";
import { PiSession, toolCall } from "./pi-lines.ts";
import { imported, inShort, findPath, sent } from "./read.ts";

const text = (words: string) => ({ type: "text", text: words });

function shop(): PiSession {
  const session = new PiSession();
  session.user([text("where is the till?"), { type: "image", data: "iVBORw0KGgo=", mimeType: "" }]);
  session.answer([
    { type: "thinking", thinking: "Look.", thinkingSignature: "sig" },
    toolCall("call_1|fc_1", "read", { path: "till.ts" }),
  ]);
  session.result("call_1|fc_1", "count the till");
  session.answer([text("In till.ts.")]);
  return session;
}

test("imports the tree, its answers with their usage, and content without a counterpart", () => {
  const session = shop();
  session.add("thinking_level_change", { thinkingLevel: "high" });
  session.add("session_info", { name: "The till" });
  const entries = imported(session.text);
  expect(inShort(findPath(entries)).slice(0, -2)).toEqual([
    "session",
    "user: where is the till? | <image>",
    "model: pi: gpt-5.1-codex",
    "assistant: (Look.) | Read(call-1)",
    "result call-1: count the till",
    "assistant: In till.ts.",
    "note title: The till",
    expect.stringContaining("context: The conversation so far was held with pi"),
  ]);
  expect(entries.find(({ type }) => type === "assistant")).toMatchObject({
    stop: "tool_use",
    usage: { input: 40, cacheRead: 900, cacheWrite: 5, output: 9 },
  });
  expect(inShort(entries).at(-1)).toContain("Skipped: 1 thinking_level_change");
  sent(entries);
});

test("names the kinds that were skipped most, and counts the others", () => {
  const session = shop();
  for (const [kind, count] of Object.entries({ a: 1, b: 4, c: 2, d: 3, e: 1 }))
    for (let n = 0; n < count; n++) session.add(kind, {});
  const note = inShort(imported(session.text)).at(-1);
  expect(note).toMatch(
    /^note info: Imported from pi, \S+\. Skipped: 4 b, 3 d, 2 c, 2 of other kinds\.$/,
  );
});

test("a compaction covers what came before the first entry that it kept", () => {
  const session = shop();
  session.add("thinking_level_change", { thinkingLevel: "low" });
  const firstKeptEntryId = session.last;
  session.user("this stays");
  session.answer([text("as it is")]);
  session.add("compaction", { summary: "SUMMARY", tokensBefore: 7_000, firstKeptEntryId });
  session.user("go on");
  const entries = imported(session.text);
  expect(project(findPath(entries)).rejected).toEqual([]);
  const messages = JSON.stringify(sent(entries));
  expect(messages.indexOf("SUMMARY")).toBeLessThan(messages.indexOf("this stays"));
  expect(messages).not.toContain("count the till");
});

test("a compaction that kept a result without its call covers neither", () => {
  const session = shop();
  session.user("again");
  session.answer([toolCall("c2", "bash", { command: "ls" })]);
  const kept = session.result("c2", "files");
  session.add("compaction", { summary: "SUMMARY", firstKeptEntryId: kept, tokensBefore: 1 });
  const entries = imported(session.text);
  expect(project(findPath(entries)).rejected).toEqual([]);
  const messages = JSON.stringify(sent(entries));
  expect(messages).toContain("files");
  expect(messages).toContain("SUMMARY");
});

test("imports branches, their summaries, other models and messages of extensions", () => {
  const session = new PiSession();
  const first = session.user("first");
  session.user("wrong way");
  session.add("branch_summary", { parentId: first, fromId: "x", summary: "It was a dead end." });
  session.add("custom_message", { customType: "ext", content: "a hint", display: true });
  session.add("custom", { customType: "state", data: {} });
  session.add("model_change", { provider: "anthropic", modelId: "claude-opus-4-5" });
  session.answer([text("right")], { model: "claude-opus-4-5" });
  const entries = imported(session.text);
  expect(inShort(entries)).toContain("user: wrong way");
  expect(inShort(findPath(entries)).slice(1, -3)).toEqual([
    "user: first",
    "context: It was a dead end.",
    "context: a hint",
    "model: pi: claude-opus-4-5",
    "assistant: right",
  ]);
  sent(entries);
});

test("imports the user's commands, including those not shown to the model", () => {
  const session = new PiSession();
  session.user("hello");
  session.message("bashExecution", { command: "make", output: "oops", exitCode: 2 });
  session.message("bashExecution", { command: "env", output: "SECRET", excludeFromContext: true });
  const messages = JSON.stringify(sent(imported(session.text)));
  expect(messages).toContain("$ make\\noops\\n(exit code 2)");
  expect(messages).not.toContain("SECRET");
});

test("does not send a failed answer, but sends an interrupted one; applies an edit of a result", () => {
  const session = shop();
  const result = session.lines[3]?.["id"];
  session.add("context_edit", { targetId: result, replacement: { content: "shorter" } });
  session.user("more");
  session.answer([text("half a")], { stopReason: "error", errorMessage: "overloaded" });
  session.answer([text("broken")], { stopReason: "aborted" });
  session.user("and on");
  const entries = imported(session.text);
  expect(inShort(entries)).toContain("note error: overloaded");
  const messages = JSON.stringify(sent(entries));
  expect(messages).not.toContain("half a");
  expect(messages).toContain("broken");
  expect(messages).toContain("shorter");
  expect(messages).not.toContain("count the till");
});
