import { expect, test } from "bun:test";
import { call, ClaudeSession, shop, text } from "./claude-lines.ts";
import { imported, inShort, findPath, sent, sentText } from "./read.ts";
import { project } from "../../../src/context/view/view.ts";

const png = "iVBORw0KGgoAAAANSUhEUg==";

/** The conversation, without what the import adds about itself. */
const entries = (session: ClaudeSession): string[] =>
  inShort(findPath(imported(session.text))).slice(1, -3);

test("joins the lines of an answer into one entry, followed by its results, with its usage counted once", () => {
  const entries = imported(shop().text);
  expect(inShort(findPath(entries))).toEqual([
    "session",
    "user: where is the till counted?",
    "model: Claude Code: claude-opus-4-5",
    "assistant: (Both files may count.) | Read(toolu_1) | Read(toolu_2)",
    "result toolu_1: count the till",
    "result toolu_2: sum it up",
    "assistant: In till.ts.",
    expect.stringContaining("context: The conversation so far was held with Claude Code"),
    "model: m",
    expect.stringMatching(/^note info: Imported from Claude Code.*counterpart here: 2/),
  ]);
  const [answer] = entries.filter((entry) => entry.type === "assistant");
  expect(answer).toMatchObject({
    at: "2025-10-01T09:00:04.000Z",
    sentAt: "2025-10-01T09:00:01.000Z",
    model: "claude-opus-4-5",
    stop: "tool_use",
    usage: { input: 10, cacheRead: 2_000, cacheWrite: 300, cacheWrite1h: 100, output: 77 },
  });
  const [result] = entries.filter((entry) => entry.type === "result");
  expect(result).toMatchObject({
    tool: "Read",
    stamps: [{ path: "/work/shop/till.ts", lines: [3, 7] }],
  });
  const id = "11111111-aaaa-4bbb-8ccc-000000000001";
  const began = { cwd: "/work/shop", model: "Claude Code", imported: { agent: "Claude Code", id } };
  expect(entries[0]).toMatchObject(began);
  const messages = sent(entries);
  expect(messages).toHaveLength(5);
  expect(JSON.stringify(messages)).not.toContain("Both files may count");
});

test.each([
  ["Edit", {}, false, { does: "write" }],
  ["Read", { offset: 3 }, false, { lines: [3, 2_002] }],
  ["Read", { limit: 5 }, false, { lines: [1, 5] }],
  ["Read", {}, true, undefined],
])("the file of %s %j, failed: %p, is stamped %j", (name, part, is_error, stamp) => {
  const session = new ClaudeSession();
  session.user("go");
  session.answer("m1", [call("t", name, { file_path: "/a", ...part })]);
  session.user([{ type: "tool_result", tool_use_id: "t", content: "x", is_error }]);
  const result = imported(session.text).find((entry) => entry.type === "result");
  expect(result?.stamps?.[0]).toEqual(stamp && expect.objectContaining({ path: "/a", ...stamp }));
});

test("a rewind continues where the user was last", () => {
  const session = new ClaudeSession();
  session.user("first");
  const [asked] = session.answer("m1", [text("answer")]);
  session.user("wrong way");
  session.answer("m2", [call("t1", "Bash")]);
  session.result("t1", "gone wrong");
  session.user("right way", { parentUuid: asked });
  session.answer("m3", [text("gone right")]);
  const entries = imported(session.text);
  const path = inShort(entries);
  expect(path.filter((line) => line.startsWith("user"))).toEqual([
    "user: first",
    "user: right way",
  ]);
  expect(path.join()).not.toMatch(/gone wrong|without a counterpart/);
  sent(entries);
});

test("an answer has all of its calls, though what follows names only one", () => {
  const session = new ClaudeSession();
  session.user("go", { sessionId: "of the file that it continues" });
  const [first] = session.answer("m1", [
    call("t1", "Look", { file_path: "/a" }),
    call("t2", "Bash"),
  ]);
  session.result("t2", "two");
  session.result("t1", "one", { parentUuid: first });
  session.answer("m2", [text("done")]);
  const entries = imported(session.text);
  expect(inShort(findPath(entries)).filter((line) => /^(?:assistant|result)/.test(line))).toEqual([
    "assistant: Look(t1) | Bash(t2)",
    "result t2: two",
    "result t1: one",
    "assistant: done",
  ]);
  expect(entries.some((entry) => entry.type === "result" && entry.stamps !== undefined)).toBe(
    false,
  );
  expect(entries[0]).toMatchObject({ imported: { id: session.session } });
});

test("leaves subagents out of the conversation, but imports them from their own file", () => {
  const session = shop();
  session.user("you are a subagent", { isSidechain: true, parentUuid: null });
  session.answer("side", [text("done")], { isSidechain: true });
  const entries = imported(session.text);
  expect(JSON.stringify(entries)).not.toContain("you are a subagent");

  const alone = new ClaudeSession();
  alone.user("you are a subagent", { isSidechain: true, agentId: "a1", parentUuid: null });
  const ofAgent = imported(alone.text);
  expect(inShort(ofAgent)).toContain("user: you are a subagent");
  expect(ofAgent[0]).toMatchObject({ imported: { id: `${alone.session}/a1` } });
});

test("imports a compaction as a cut", () => {
  const session = shop();
  session.compact({ trigger: "manual", preTokens: 9_000, postTokens: 70 });
  session.user("What was done so far: the till.", { isCompactSummary: true });
  session.user("go on");
  const entries = imported(session.text);
  const cut = entries.find((entry) => entry.type === "cut");
  const price = { usedBefore: 9_000, usedAfter: 70 };
  expect(cut).toMatchObject({ tier: "summary", trigger: "command", price });
  const view = project(findPath(entries));
  expect(view.rows.filter(({ shown }) => shown === "covered").length).toBeGreaterThan(4);
  const messages = sentText(session.text);
  expect(messages).toContain("What was done so far: the till.");
  expect(messages).not.toContain("count the till");
});

/** Without what was summarized. */
function expectInOrder(messages: string, ...words: string[]): void {
  expect(messages).toMatch(new RegExp(words.join(".*")));
  expect(messages).not.toContain("count the till");
}

test("keeps in view what Claude Code kept with a summary, until a later summary covers both", () => {
  const session = shop();
  const headUuid = session.user("and this stays");
  session.answer("m8", [call("t8", "Bash", { command: "ls" })]);
  session.result("t8", "files");
  session.compact({ trigger: "auto", preTokens: 5, preservedSegment: { headUuid } });
  session.user("SUMMARY ONE", { isCompactSummary: true });
  session.user("after");
  expectInOrder(sentText(session.text), "SUMMARY ONE", "and this stays", "after");
  session.compact({ preservedSegment: { headUuid: null } });
  session.user("SUMMARY TWO", { isCompactSummary: true });
  expect(sentText(session.text)).not.toContain("SUMMARY ONE");
});

test("finds what a summary kept, whether it was repeated after it or not", () => {
  const session = shop();
  const summarized = session.last ?? "";
  const headUuid = session.user("kept one");
  const keep = (tailUuid: string, follows: string): void => {
    session.compact({ preservedSegment: { headUuid, anchorUuid: "anchor", tailUuid } }, follows);
    session.user("SUMMARY", { isCompactSummary: true, uuid: "anchor" });
  };
  const expectAll = (): void =>
    expectInOrder(sentText(session.text), "SUMMARY", "kept one", "kept two", "after");
  const before = session.lines.length;
  keep("anew", "anew");
  const timestamp = "2025-10-01T09:00:08Z";
  session.user("kept two", { uuid: "anew", parentUuid: "anchor", timestamp });
  session.user("after", { parentUuid: "anew" });
  expectAll();

  session.lines.length = before;
  const tail = session.user("kept two", { parentUuid: headUuid });
  keep(tail, summarized);
  session.user("after", { parentUuid: tail });
  expectAll();
});

test("accepts a hook's line before a summary, and reports a missing summary", () => {
  const session = shop();
  const boundary = session.compact({ preTokens: 4_321 });
  session.add("progress", { data: {} });
  session.user(" ", { isCompactSummary: true });
  const lost = inShort(findPath(imported(session.text)));
  expect(lost.some((line) => line.startsWith("cover"))).toBe(false);
  session.user("SUMMARY", { isCompactSummary: true, parentUuid: boundary });
  const cut = imported(session.text).find(({ type }) => type === "cut");
  expect(cut).toMatchObject({ price: { usedBefore: 4_321 } });
});

test("distinguishes messages that nobody typed from the user's", () => {
  const session = new ClaudeSession();
  session.user("a note", { isMeta: true });
  session.user("<command-name>/clear</command-name>");
  session.user("<bash-input>ls</bash-input>");
  session.user("my question");
  session.user([text("[Request interrupted by user]")]);
  session.add("attachment", { attachment: { type: "queued_command", prompt: "and hurry" } });
  session.add("attachment", { attachment: { type: "todo_reminder" } });
  session.add("attachment", { attachment: { type: "file", filename: "/gone" } });
  const content = { type: "text", file: { filePath: "/a", content: "named with an @" } };
  session.add("attachment", { attachment: { type: "file", filename: "/a", content } });
  const lines = entries(session);
  expect(lines.filter((line) => line.startsWith("user"))).toEqual([
    "user: my question",
    "user: and hurry",
  ]);
  expect(lines.filter((line) => line.startsWith("context"))).toHaveLength(5);
  expect(inShort(imported(session.text)).at(-1)).toEndWith("without a counterpart here: 2.");
});

test("imports API errors as notes, and server tools as a line of text", () => {
  const session = new ClaudeSession();
  session.user("search");
  session.answer("m1", [
    { type: "server_tool_use", id: "s", name: "web_search", input: { query: "tills" } },
    text("found"),
  ]);
  const content = [text("API Error: 529")];
  session.add("assistant", { message: { id: "m2", model: "<synthetic>", content } });
  expect(entries(session).slice(2)).toEqual([
    'assistant: [server_tool_use web_search {"query":"tills"}] | found',
    "note error: API Error: 529",
  ]);
});

test("keeps valid images in results, and names the others", () => {
  const session = new ClaudeSession();
  session.user("look");
  session.answer("m1", [call("t1", "Read"), call("t2", "Read")]);
  const image = (data: string) => ({
    type: "image",
    source: { type: "base64", media_type: "image/webp", data },
  });
  session.result("t1", [image(png)]);
  const large = png.slice(0, 16) + "A".repeat(8 * 1024 * 1024);
  const bad = ["bm90IGFuIGltYWdl", `${png}!`, large].map(image);
  session.result("t2", [...bad, { type: "document", source: {} }]);
  const entries = imported(session.text);
  const results = entries.flatMap((entry) => (entry.type === "result" ? [entry.content] : []));
  expect(results[0]).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
  ]);
  expect(results[1]?.map(({ type }) => type)).toEqual(["text", "text", "text", "text"]);
});

test("makes interrupted calls, repeated ids and stray results valid", () => {
  const session = new ClaudeSession();
  session.user("go");
  session.answer("m1", [call("same", "Bash"), call("never", "Bash")]);
  session.result("same", "one");
  session.answer("m2", [call("same", "Bash"), call("odd id|with:signs", "weird.tool name")]);
  session.result("same", "two");
  session.result("odd id|with:signs", "three", {});
  session.result("nobody asked", "four");
  session.user("and then?");
  const entries = imported(session.text);
  const messages = JSON.stringify(sent(entries));
  for (const word of ["one", "two", "three"]) expect(messages).toContain(word);
  expect(messages).not.toContain("four");
  expect(JSON.stringify(entries)).toContain("four");
});

test("prefers the user's title to the agent's", () => {
  const session = shop();
  const title = () =>
    imported(session.text).flatMap((one) =>
      one.type === "note" && one.kind === "title" ? [one.text] : [],
    );
  expect(title()).toEqual([]);
  session.beside({ type: "custom-title", customTitle: "My \u001b[2Jtill\u0007 \u202eevil" });
  session.beside({ type: "ai-title", aiTitle: "Till counting" });
  expect(title()).toEqual(["My till <U+202E>evil"]);
});

test("a session that begins in the middle says so, and can be resumed", () => {
  const session = new ClaudeSession();
  session.answer("m1", [text("as I said")], { parentUuid: "lost" });
  const [first, answer] = entries(session).filter((line) => !line.startsWith("model"));
  expect(first).toContain("The beginning of this conversation is missing");
  expect(answer).toBe("assistant: as I said");
  sent(imported(session.text));
});

test("accepts cyclic and missing parents, and repeated lines", () => {
  const session = shop();
  const [one, two, three] = session.lines.slice(1);
  if (!one || !two || !three) throw new Error("The session is too short.");
  one["parentUuid"] = "u4";
  three["parentUuid"] = three["uuid"];
  session.user("orphan", { parentUuid: "nowhere" });
  session.beside({ ...two });
  const entries = imported(session.text);
  expect(inShort(findPath(entries))).toContain("user: orphan");
  sent(entries);
});
