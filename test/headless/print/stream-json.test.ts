/** The messages of Claude Code, as a run prints them. */

import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import { pathsFor } from "../../../src/config/paths.ts";
import { instantClock } from "../../instant-clock.ts";
import { call, say, startFakeApi, think, type AnswerBlock } from "../../fake-api/index.ts";
import { png } from "../../fake-api/png.ts";
import { isInit, isResult, type Line, openProgram } from "../program.ts";

const { box, api, run, sent, connect } = await openProgram("stream-json");

const stream = ["--output-format=stream-json", "--verbose"];
const bypass = "--permission-mode=bypass";
const text = (words: string): AnswerBlock => ({ type: "text", text: words });
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const kinds = (lines: Line[]): string[] => lines.map(({ type, subtype }) => subtype ?? type);
const nameless = {
  parent_tool_use_id: null,
  session_id: expect.any(String),
  uuid: expect.any(String),
};

test("a turn: init, one message per block with the answer's id, the result of the call, the result", async () => {
  const { messages, code } = await run(
    [...stream, "--permission-mode=acceptEdits", "--allowedTools=Bash(echo:*)"],
    [[text("Looking."), call("Bash", { command: "echo a.txt" }, "t1")], say("One file.")],
  );
  expect(code).toBe(0);
  expect(kinds(messages)).toEqual([
    "init",
    "assistant",
    "assistant",
    "user",
    "assistant",
    "success",
  ]);
  const [init, first, second, used, third, result] = messages;
  expect(init).toEqual({
    type: "system",
    subtype: "init",
    cwd: box.project,
    model: "claude-sonnet-5-5",
    tools: expect.arrayContaining(["Task", "Bash"]),
    mcp_servers: [],
    slash_commands: ["compact", "review", "goal"],
    agents: ["general-purpose", "Explore"],
    skills: [],
    apiKeySource: "ANTHROPIC_API_KEY",
    permissionMode: "acceptEdits",
    claude_code_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    output_style: "default",
    plugins: [],
    session_id: expect.stringMatching(uuid),
    uuid: expect.stringMatching(uuid),
  });
  expect(first).toEqual({
    ...nameless,
    type: "assistant",
    message: {
      id: expect.stringMatching(/^msg_[0-9a-f]{24}$/),
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5-5",
      content: [text("Looking.")],
      stop_reason: null,
      stop_sequence: null,
      usage: expect.objectContaining({
        service_tier: "standard",
        server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      }),
    },
  });
  const ids = [first, second, third].map((line) => Object(line?.["message"]).id);
  expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false]);
  expect(used).toMatchObject({
    parent_tool_use_id: null,
    message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "a.txt" }] },
    tool_use_result: { stdout: "a.txt", stderr: "", interrupted: false, isImage: false },
  });
  expect(result).toMatchObject({
    type: "result",
    is_error: false,
    result: "One file.",
    num_turns: 2,
    stop_reason: "end_turn",
    permission_denials: [],
  });
  expect(new Set(messages.map(({ session_id: id }) => id)).size).toBe(1);
  expect(messages.map(({ uuid: id }) => String(id)).every((id) => uuid.test(id))).toBe(true);
  expect(new Set(messages.map(({ uuid: id }) => id)).size).toBe(messages.length);
});

/** Timers of the program of at most these milliseconds fire at once. */
function hurry(mostMs: number) {
  const { after } = systemClock;
  return spyOn(systemClock, "after").mockImplementation((ms, fire) =>
    ms > mostMs ? after(ms, fire) : instantClock().after(ms, fire),
  );
}

/** The events of the API in the printed messages. */
const streamed = (messages: Line[]) =>
  messages.flatMap(({ event, parent_tool_use_id: parent }) =>
    event === undefined || parent !== null ? [] : [Object(event)],
  );
const shortly = ({ type, index }: { type: string; index?: number }): string =>
  `${type.replace("content_block_", "")}${index === undefined ? "" : ` ${index}`}`;

test("partial messages: the events of the API, in its order; an answer that breaks off begins again", async () => {
  const clock = hurry(1_000);
  const bash = call("Bash", { command: ":" }, "t2");
  const { messages } = await run(
    [...stream, bypass, "--include-partial-messages"],
    [
      say("lost", { cut: { afterBlocks: 0, by: { error: "overloaded_error" } } }),
      [think("Hm"), text("Go."), bash],
      say("Done"),
    ],
  );
  clock.mockRestore();
  const events = streamed(messages);
  const block = (index: number, deltas: number): string[] => [
    `start ${index}`,
    ...Array<string>(deltas).fill(`delta ${index}`),
    `stop ${index}`,
  ];
  const ends = ["message_delta", "message_stop"];
  expect(events.map(shortly)).toEqual([
    "message_start",
    "start 0",
    "delta 0",
    "message_start",
    ...block(0, 1),
    ...block(1, 1),
    ...block(2, 3),
    ...ends,
    "message_start",
    ...block(0, 1),
    ...ends,
  ]);
  // What broke off is no answer.
  expect(messages.at(-1)?.["num_turns"]).toBe(2);
  expect(messages.find(({ subtype }) => subtype === "api_retry")).toMatchObject({
    attempt: 1,
    max_retries: expect.any(Number),
    retry_delay_ms: expect.any(Number),
    error_status: null,
    reason: expect.any(String),
  });
  const answer = events.slice(3);
  const blocks = answer.flatMap(({ content_block: one }) => (one ? [one] : []));
  expect(blocks.slice(0, 3)).toEqual([
    { type: "thinking", thinking: "", signature: "" },
    { type: "text", text: "" },
    { type: "tool_use", id: "t2", name: "Bash", input: {} },
  ]);
  const deltas = answer.flatMap(({ type, delta }) => (/block_delta/.test(type) ? [delta] : []));
  expect(deltas.slice(0, 2)).toEqual([
    { type: "thinking_delta", thinking: "Hm" },
    { type: "text_delta", text: "Go." },
  ]);
  expect(deltas.map(({ partial_json: json = "" }) => json).join("")).toBe('{"command":":"}');
  const id = (line?: Line): string => Object(line?.["message"]).id;
  const [start, next] = answer.filter(({ type }) => type === "message_start");
  expect(id(start)).toBe(id(messages.find(({ type }) => type === "assistant")));
  // The usage is that of the call before, without its output.
  const end = answer.find(({ type }) => type === "message_delta");
  expect(start.message.usage).toMatchObject({ input_tokens: 0, output_tokens: 0 });
  expect(next.message).toMatchObject({ content: [], usage: { ...end.usage, output_tokens: 0 } });
  expect([end.delta.stop_reason, end.usage.output_tokens > 0]).toEqual(["tool_use", true]);
});

test("partial messages: what did not arrive in pieces is sent whole, and nothing twice", async () => {
  const flags = [...stream, bypass, "--offline", "--include-partial-messages"];
  const { messages } = await run(flags, [], { prompt: "run `true`" });
  const [whole, words] = messages.filter(({ type }) => type === "assistant");
  const events = streamed(messages);
  expect(events.slice(0, 6).map(shortly)).toEqual([
    "message_start",
    "start 0",
    "delta 0",
    "stop 0",
    "message_delta",
    "message_stop",
  ]);
  expect(events[2].delta).toEqual({
    type: "input_json_delta",
    partial_json: JSON.stringify(Object(whole?.["message"]).content[0].input),
  });
  const said = events.slice(6).map(({ delta }) => delta?.text ?? "");
  expect(said.join("")).toBe(Object(words?.["message"]).content[0].text);
});

test.each([
  [400, "invalid_request"],
  [413, "invalid_request"],
  [401, "authentication_failed"],
  [403, "authentication_failed"],
  [404, "model_not_found"],
  [429, "rate_limit"],
  [529, "overloaded"],
  [500, "server_error"],
  [422, "unknown"],
  [null, "unknown"],
])("an API error with the status %p is %s, and a result", async (status, error) => {
  const failing = startFakeApi({ responder: () => ({ status: status ?? 500, message: "No." }) });
  // The server that says nothing is given up at once, too.
  const clock = hurry(status === null ? Infinity : 100_000);
  const { messages, code } = await run(stream, [], { url: failing.url });
  clock.mockRestore();
  await failing.stop();
  expect(code).toBe(1);
  expect(messages.slice(-2)).toMatchObject([
    { type: "assistant", error, message: { model: "<synthetic>" } },
    {
      subtype: "success",
      is_error: true,
      api_error_status: status,
      result: expect.stringMatching(
        status === null ? /^API Error: http/ : new RegExp(`^API Error: ${status} .*No\\.`),
      ),
    },
  ]);
});

test("a failed call is marked; content that is not text is unchanged", async () => {
  const image = png(1);
  await Bun.write(join(box.project, "a.png"), Buffer.from(image.source.data, "base64"));
  const read = (name: string) => call("Read", { file_path: name }, name.charAt(0));
  const { messages } = await run(stream, [[read("a.png"), read("none.txt")], say("Seen.")]);
  const why = "none.txt does not exist.";
  const results = messages
    .filter(({ type }) => type === "user")
    .map(({ message, tool_use_result: said }) => ({ ...Object(message).content[0], said }))
    .toSorted((one, other) => (one.tool_use_id < other.tool_use_id ? -1 : 1));
  expect(results).toMatchObject([
    { content: [{ type: "text" }, { type: "image" }], said: expect.any(String) },
    { content: why, is_error: true, said: `Error: ${why}` },
  ]);
});

test("the calls of a script are printed under it, each with its result", async () => {
  await Bun.write(join(box.project, "a.txt"), "words");
  const code = 'const text = await read("a.txt"); console.log(text.length);';
  const { messages } = await run([...stream, bypass], [[call("Script", { code }, "s1")], say("5")]);
  // Scripts are offered only where they can be confined.
  if (!JSON.stringify(messages[0]?.["tools"]).includes("Script")) return;
  const [made, result] = messages.filter(({ parent_tool_use_id: parent }) => parent === "s1");
  const [{ id, ...rest }] = Object(made?.["message"]).content;
  expect(rest).toMatchObject({ type: "tool_use", name: "Read", input: { file_path: "a.txt" } });
  expect(result).toMatchObject({
    type: "user",
    message: { content: [{ tool_use_id: id, content: expect.stringContaining("words") }] },
  });
  expect(new Set(messages.map(({ uuid: one }) => one)).size).toBe(messages.length);
});

test("json: the result alone, or every message; nothing is streamed", async () => {
  const alone = await run(["--output-format=json", "--include-partial-messages"], [say("x")]);
  expect(alone.messages).toMatchObject([{ type: "result", result: "x", num_turns: 1 }]);
  const all = await run(["--output-format=json", "--verbose"], [say("x")]);
  expect(all.messages.map(({ type }) => type)).toEqual(["system", "assistant", "result"]);
});

test("an interrupted turn shows the answer so far and says so", async () => {
  const client = connect([say("So far", { cut: { afterBlocks: 0, by: "stall" } })], {
    flags: ["--include-partial-messages"],
  });
  client.say("go");
  await client.until((line) => JSON.stringify(line).includes("So far"));
  client.send({ type: "control_request", request_id: "i", request: { subtype: "interrupt" } });
  const lines = (await client.until(isResult)).filter(({ type }) => !/control|stream/.test(type));
  expect(lines).toMatchObject([
    { type: "assistant", message: { content: [text("So far")] } },
    { type: "user", message: { content: [{ text: "[Request interrupted by user]" }] } },
    { type: "result", subtype: "error_during_execution", is_error: true, errors: [] },
  ]);
});

test("a message is repeated once it is in the log, under the client's name or its entry's", async () => {
  const client = connect([say("One."), say("Two.")], { flags: ["--replay-user-messages"] });
  const named = "41111111-2222-4333-8444-555555555555";
  client.say("first", named);
  const first = await client.until(isResult);
  expect(first[1]).toMatchObject({
    type: "user",
    isReplay: true,
    uuid: named,
    message: { role: "user", content: [text("first")] },
  });
  expect(kinds(first)).toEqual(["init", "user", "assistant", "success"]);
  client.say("second");
  expect(kinds(await client.until(isResult))).toEqual(["init", "user", "assistant", "success"]);
});

test("the names of messages are the same in every version", async () => {
  const paths = pathsFor(box.env, box.project);
  const at = "2026-01-01T00:00:02.000Z";
  const model = "claude-sonnet-5-5";
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };
  const answer = { type: "assistant", model, usage, stop: "end_turn", sentAt: at };
  const entries = [
    { type: "session", version: 1, session: "old", cwd: box.project, model, system: "", tools: [] },
    { type: "user", content: [text("hi")] },
    { ...answer, content: [text("One."), text("Two.")] },
    { type: "user", content: [text("later")] },
    { ...answer, content: [text("Three.")] },
  ].map((fact, index) => ({
    id: `e${index + 1}`,
    parent: index === 0 ? null : `e${index}`,
    at,
    ...fact,
  }));
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  await Bun.write(join(paths.projectSessions, "old.jsonl"), lines);
  // The second block of the first answer.
  const name = "96fb441e-a839-4017-a6fa-adc2ca94898f";
  const { code } = await run(["--resume=old", `--resume-session-at=${name}`], [say("Four.")]);
  expect([code, sent()]).toEqual([0, expect.stringContaining("Two.")]);
  expect(sent()).not.toContain("Three.");
});

test("a compaction: its status, its boundary, the summary; one that fails says why", async () => {
  const client = connect([say("one ".repeat(4_000)), say("two ".repeat(4_000))]);
  client.say("/compact");
  const failed = await client.until(isResult);
  const error = failed.at(-1)?.["result"];
  expect(failed.slice(1)).toMatchObject([
    { subtype: "status", status: null, compact_result: "failed", compact_error: error },
    { subtype: "success", num_turns: 0 },
  ]);
  client.say("Never use tabs.");
  await client.until(isResult);
  client.say("hello");
  await client.until(isResult);
  api.next(say(`<summary>${"The user said hello twice. ".repeat(10)}</summary>`));
  client.say("/compact");
  expect((await client.until(isResult)).slice(1)).toMatchObject([
    { subtype: "status", status: "compacting" },
    {
      subtype: "compact_boundary",
      compact_metadata: {
        trigger: "manual",
        pre_tokens: expect.any(Number),
        post_tokens: expect.any(Number),
        tier: "summary",
        rules: { kept: 1, all: 1 },
      },
    },
    {
      type: "user",
      isSynthetic: true,
      message: { role: "user", content: expect.stringContaining("said hello twice") },
    },
    { subtype: "status", status: null, compact_result: "success" },
    { subtype: "success", result: "" },
  ]);
});

test("a compaction because the prompt was too long is automatic", async () => {
  const long = say("word ".repeat(8_000));
  const tooLong = { status: 400, message: "prompt is too long: 300000 tokens > 200000 maximum" };
  const summary = say(`<summary>${"They said hello. ".repeat(10)}</summary>`);
  const client = connect([long, long, tooLong, summary, say("Done.")]);
  for (const text of ["1", "2", "3"]) client.say(text);
  const isBoundary = ({ subtype }: Line): boolean => subtype === "compact_boundary";
  expect((await client.until(isBoundary)).at(-1)).toMatchObject({
    compact_metadata: { trigger: "auto", tier: "summary" },
  });
  expect((await client.until(isResult)).at(-1)).toMatchObject({ result: "Done." });
});

test("on request, the state of the session is printed; a change is neither announced nor answered", async () => {
  const client = connect([[call("Bash", { command: "touch no" })], say("Done."), say("Again.")], {
    flags: ["--permission-prompt-tool=stdio"],
    env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" },
  });
  const isIdle = ({ state }: Line): boolean => state === "idle";
  const states = (lines: Line[]) =>
    lines.flatMap(({ subtype, state }) => (subtype === "session_state_changed" ? [state] : []));
  client.say("go");
  const asked = await client.question();
  client.reply(asked["request_id"], { behavior: "deny" });
  expect(states(await client.until(isIdle))).toEqual(["running", "idle"]);
  await client.ask({ subtype: "set_permission_mode", mode: "plan" });
  await client.ask({ subtype: "set_model", model: "haiku" });
  await client.ask({ subtype: "set_max_thinking_tokens", max_thinking_tokens: 9_000 });
  client.say("again");
  const lines = await client.until(isIdle);
  expect(lines.find(isInit)).toMatchObject({ model: "claude-haiku-5-5", permissionMode: "plan" });
  expect(lines.find(({ subtype }) => subtype === "status")).toBeUndefined();
  expect(api.bodies.at(-1)?.output_config).toEqual({ effort: "medium" });
  const { response: usage } = Object(await client.ask({ subtype: "get_context_usage" }));
  const free = usage.maxTokens - usage.totalTokens;
  expect(usage).toMatchObject({ model: "claude-haiku-5-5", isAutoCompactEnabled: true });
  expect(usage.categories.at(-1)).toMatchObject({ name: "Free space", tokens: free });
  expect(usage.categories).toContainEqual(expect.objectContaining({ name: "User messages" }));
  expect([usage.percentage, usage.autoCompactThreshold]).toEqual([1, 833_000]);
  expect(states(lines)).toEqual(["running", "idle"]);
});
