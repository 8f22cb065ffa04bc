/** A program drives a run over standard input, line by line, as the Agent SDK does. */

import { expect, onTestFinished, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { call, say } from "../fake-api/index.ts";
import { isInit, isQuestion, isResult, type Line, openProgram, startScouting } from "./program.ts";

const { box, api, run, sent, connect } = await openProgram("client");

await Bun.write(
  join(box.home, "..", ".claude", "commands", "greet.md"),
  "---\ndescription: Says hello\n---\nSay hello to $ARGUMENTS.",
);

test("initialize and a message, sent at once, are answered in order; the next one is another turn, and may be a command of the user", async () => {
  const client = connect([say("Hello."), say("Again.")], { flags: ["--model=sonnet"] });
  client.initialize({ systemPrompt: [""], appendSystemPrompt: "Answer in rhyme." });
  client.say([{ type: "text", text: "hi" }]);
  const first = await client.until(isResult);
  expect(first.map(({ type, subtype }) => subtype ?? type)).toEqual([
    "control_response",
    "init",
    "assistant",
    "success",
  ]);
  expect(first[0]?.["response"]).toMatchObject({
    request_id: "i",
    response: {
      output_style: "default",
      account: { apiKeySource: "ANTHROPIC_API_KEY" },
      commands: [{}, { name: "greet", description: "Says hello" }, {}, {}],
    },
  });
  expect(first[1]).toMatchObject({ slash_commands: ["compact", "greet", "review", "goal"] });
  expect(JSON.stringify(api.requests.at(-1)?.body?.system)).toContain("Answer in rhyme.");
  client.say("/greet Ada");
  expect((await client.until(isResult)).at(-1)).toMatchObject({ result: "Again.", num_turns: 1 });
  expect(sent()).toContain("Say hello to Ada.");
});

test("a client answers in free words, and approves a plan that its user changed", async () => {
  const questions = [{ question: "Which sail?", options: [{ label: "Red" }] }];
  const client = connect(
    [
      [call("AskUserQuestion", { questions })],
      [call("ExitPlanMode", { plan: "1. Sail" })],
      say("Rowing."),
    ],
    { flags: ["--permission-prompt-tool=stdio", "--permission-mode=plan"] },
  );
  client.say("Set sail.");
  const reply = async (updatedInput: object): Promise<unknown> => {
    const asked = await client.question();
    client.reply(asked["request_id"], { behavior: "allow", updatedInput });
    return asked["request"];
  };
  expect(await reply({ questions, answers: { "Which sail?": "None, row" } })).toMatchObject({
    tool_name: "AskUserQuestion",
    input: { questions },
  });
  expect(await reply({ plan: "1. Row" })).toMatchObject({ input: { plan: "1. Sail" } });
  await client.until(isResult);
  expect(sent()).toContain("None, row");
  expect(sent()).toContain("The user approved the plan in this form");
  expect(sent()).toContain("1. Row");
});

test("can_use_tool: the client allows another input, or denies with words for the model", async () => {
  const client = connect(
    [
      [call("Bash", { command: "touch asked" })],
      [call("Bash", { command: "touch more" })],
      say("Done."),
    ],
    { flags: ["--permission-prompt-tool=stdio"] },
  );
  client.say("go");
  const first = await client.question();
  expect(first["request"]).toMatchObject({
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: { command: "touch asked" },
    permission_suggestions: [{ type: "addRules", behavior: "allow", destination: "session" }],
  });
  const updatedInput = { command: "touch answered" };
  client.reply(first["request_id"], { behavior: "allow", updatedInput });
  const second = await client.question();
  client.reply(second["request_id"], { behavior: "deny", message: "Not that." });
  const result = (await client.until(isResult)).at(-1);
  expect(result).toMatchObject({
    subtype: "success",
    permission_denials: [{ tool_name: "Bash", tool_input: { command: "touch more" } }],
  });
  expect(sent()).toContain("Not that.");
  const files = ["asked", "answered", "more"].map((name) => existsSync(join(box.project, name)));
  expect(files).toEqual([false, true, false]);
});

test("hooks run in the client: one denies a call of a subagent, with its own reason", async () => {
  const task = { description: "Look", prompt: "List the files" };
  const bash = [call("Bash", { command: "ls" })];
  const client = connect([[call("Agent", task)], bash, say("Denied."), say("Done.")]);
  const matchers = [{ matcher: "Bash|Write", hookCallbackIds: ["hook_0"], timeout: 60 }];
  const hooks = {
    PreToolUse: matchers,
    MoonRise: matchers,
    Stop: [{ hookCallbackIds: ["hook_1"] }],
  };
  client.initialize({ hooks });
  client.say("go");
  const question = await client.question();
  expect(question["request"]).toMatchObject({
    subtype: "hook_callback",
    callback_id: "hook_0",
    input: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } },
    tool_use_id: expect.any(String),
  });
  client.reply(question["request_id"], {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "No shell here.",
    },
  });
  const stop = await client.question();
  expect(stop["request"]).toMatchObject({
    callback_id: "hook_1",
    input: { last_assistant_message: "Done." },
  });
  client.reply(stop["request_id"], {});
  expect((await client.until(isResult)).at(-1)).toMatchObject({
    permission_denials: [{ tool_name: "Bash" }],
  });
  expect(JSON.stringify(api.bodies)).toContain("No shell here.");
});

test("a subagent of the client works; its messages name the call that started it", async () => {
  const task = { description: "Look", prompt: "List the files", subagent_type: "scout" };
  const client = connect([
    [call("Agent", task)],
    [call("Glob", { pattern: "*" })],
    say("Nothing here."),
    say("It found nothing."),
  ]);
  const scout = { description: "Looks around", prompt: "You are a scout.", tools: ["Glob"] };
  client.initialize({ agents: { scout } });
  client.say("go");
  const lines = await client.until(isResult);
  expect(lines.find(isInit)).toMatchObject({
    agents: expect.arrayContaining(["scout"]),
    tools: expect.arrayContaining(["Task"]),
  });
  const nested = lines.filter((line) => typeof line["parent_tool_use_id"] === "string");
  expect(nested.map(({ type }) => type)).toEqual(["assistant", "user", "assistant"]);
  expect(JSON.stringify(nested.at(-1))).toContain("Nothing here.");
  expect(lines.at(-1)).toMatchObject({ result: "It found nothing.", num_turns: 2 });
});

test("an MCP server in the client: it is asked for its tools, and its tool is called", async () => {
  const client = connect([[call("mcp__local__add", { a: 2, b: 3 })], say("Five."), say("Again.")], {
    flags: ["--allowedTools", "mcp__local"],
  });
  client.initialize({ sdkMcpServers: ["local"] });
  client.say("go");
  const add = (input: object) => ({ content: [{ type: "text", text: JSON.stringify(input) }] });
  const seen = await client.serving({ name: "add", call: add }, isResult);
  const servers = [{ name: "local", status: "connected" }];
  const tools: unknown = expect.arrayContaining(["Read", "mcp__local__add"]);
  expect(seen.find(isInit)).toMatchObject({ tools, mcp_servers: servers });
  expect(sent()).toContain(JSON.stringify(JSON.stringify({ a: 2, b: 3 })).slice(1, -1));
  expect(await client.ask({ subtype: "mcp_status" })).toMatchObject({
    response: { mcpServers: [{ ...servers[0], tools: [{ name: "add" }] }] },
  });
  client.say("again");
  expect((await client.until(isResult)).find(isInit)).toMatchObject({ tools });
});

test("an interrupt ends the turn, not the program; a withdrawn question is cancelled", async () => {
  const answers = [say("Next."), say("More."), say("Back.")];
  const client = connect([[call("Bash", { command: "touch never" })], ...answers], {
    flags: ["--permission-prompt-tool", "stdio"],
  });
  client.say("go");
  await client.question();
  const uuid = "21111111-2222-4333-8444-555555555555";
  client.say("and then?", uuid);
  client.say("and more?");
  expect(await client.ask({ subtype: "interrupt" })).toMatchObject({
    subtype: "success",
    response: { still_queued: [uuid] },
  });
  const rest = await client.until(isResult);
  expect(rest.map(({ type }) => type)).toContain("control_cancel_request");
  expect(rest.at(-1)).toMatchObject({ subtype: "error_during_execution", is_error: true });
  expect((await client.until(isResult)).at(-1)).toMatchObject({ result: "Next." });
  expect((await client.until(isResult)).at(-1)).toMatchObject({ result: "More." });
  client.say("still there?");
  expect((await client.until(isResult)).at(-1)).toMatchObject({ result: "Back." });
});

test("rewind_files shows what it would change of a message that the client named, and restores it, even later", async () => {
  const { project } = box;
  await Bun.write(join(project, "kept.ts"), "old\n");
  const edit = { file_path: "kept.ts", content: "new\n" };
  const uuid = "11111111-2222-4333-8444-555555555555";
  const flags = ["--permission-mode=acceptEdits"];
  const client = connect(
    [
      [call("Read", { file_path: "kept.ts" })],
      {
        content: [call("Write", edit), call("Write", { file_path: "made.ts", content: "made\n" })],
      },
      say("Done."),
    ],
    { flags },
  );
  client.say("change them", uuid);
  const session = (await client.until(isResult)).at(-1)?.["session_id"];
  const rewind = { subtype: "rewind_files", user_message_id: uuid };
  const filesChanged = [join(project, "kept.ts"), join(project, "made.ts")];
  const preview = await client.ask({ ...rewind, dry_run: true });
  expect(preview["response"]).toEqual({ canRewind: true, filesChanged });
  expect(await Bun.file(join(project, "kept.ts")).text()).toBe("new\n");
  await client.end();
  const later = connect([], { flags: [...flags, `--resume=${session}`] });
  expect((await later.ask(rewind))["response"]).toEqual({ canRewind: true, filesChanged });
  expect(await Bun.file(join(project, "kept.ts")).text()).toBe("old\n");
  expect(existsSync(join(project, "made.ts"))).toBe(false);
});

test("a folder that was never trusted is named in init; settings of the program give consent for it", async () => {
  const folder = join(box.root, "stranger");
  const script = join(import.meta.dir, "../extensions/mcp/stdio-server.ts");
  const small = { command: process.execPath, args: [script] };
  await Bun.write(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { small } }));
  const init = async (settings: object): Promise<Line | undefined> => {
    const flags = ["--verbose", "--output-format=stream-json", "--settings"];
    const hello = [say("Hello.")];
    return (await run([...flags, JSON.stringify(settings)], hello, { cwd: folder })).messages[0];
  };
  const stranger = await init({});
  expect(stranger?.["untrusted_folder"]).toEqual({
    folder,
    unused: [".mcp.json"],
    error: expect.stringContaining('{"trust": true}'),
  });
  expect(stranger?.["mcp_servers"]).toEqual([]);
  const trusted = await init({ trust: true });
  expect(trusted).not.toHaveProperty("untrusted_folder");
  expect(trusted?.["mcp_servers"]).toMatchObject([{ name: "small", status: "disabled" }]);
  const approved = await init({ trust: true, enabledMcpjsonServers: ["small"] });
  // How soon it connects depends on the machine.
  const started: unknown = expect.stringMatching(/^(connected|pending)$/);
  expect(approved?.["mcp_servers"]).toMatchObject([{ name: "small", status: started }]);
});

const agents = { scout: { description: "Looks around", prompt: "You are a scout." } };

/** What the client is told besides messages, in order. */
const listTold = (lines: Line[]): unknown[] =>
  lines.flatMap(({ type, subtype }) => (type === "system" ? [subtype] : []));

test("a subagent in the background asks the client, reports in a turn of its own, and is told of as a task", async () => {
  const mayEnd = Promise.withResolvers<void>();
  const other = startScouting(mayEnd.promise);
  const client = connect([], { flags: ["--permission-prompt-tool=stdio"], url: other.url });
  client.initialize({ agents });
  client.say("please go");
  const lines = await client.until(isQuestion);
  const question = lines.at(-1);
  const task = lines.find(({ subtype }) => subtype === "task_started");
  const id = task?.["task_id"];
  expect(task).toMatchObject({ subagent_type: "scout", prompt: "Count the files" });
  expect(Object(question?.["request"])).toMatchObject({
    subtype: "can_use_tool",
    input: { command: "touch /etc/counted" },
    agent_id: id,
  });
  client.reply(question?.["request_id"], { behavior: "deny", message: "Not there." });
  // The turn and the subagent go on side by side.
  const denied = (line: Line): boolean => JSON.stringify(line).includes("Not there.");
  lines.push(...(await client.until(denied)));
  if (!lines.some(isResult)) lines.push(...(await client.until(isResult)));
  expect(lines.find(isResult)).toMatchObject({ result: "It works in the background." });
  expect(lines.find(denied)).toMatchObject({
    parent_tool_use_id: task?.["tool_use_id"],
    agent_id: id,
  });
  mayEnd.resolve();
  const second = await client.until(isResult);
  expect(listTold([...lines, ...second])).toEqual([
    "init",
    "task_started",
    "task_notification",
    "init",
  ]);
  const ended = second.find(({ subtype }) => subtype === "task_notification");
  expect(ended).toMatchObject({
    task_id: id,
    status: "completed",
    summary: "There are 7 files.",
  });
  expect(second.at(-1)).toMatchObject({
    result: "It reported.",
    total_cost_is_estimate: false,
    costs: { subagents: [{ name: "scout", calls: 1, is_estimate: false }] },
  });
  expect(await client.end()).toBe(0);
  await other.stop();
});

/** A client of a model whose subagent works in the background; its first turn has ended. */
async function scouting(mayEnd: Promise<void>, more: object = {}) {
  const other = startScouting(mayEnd);
  onTestFinished(() => other.stop());
  const client = connect([], { url: other.url });
  client.initialize({ agents, ...more });
  client.say("please go");
  const lines = await client.until(isResult);
  return { client, id: lines.find(({ subtype }) => subtype === "task_started")?.["task_id"] };
}

test("a client that closes its end still gets the report of a subagent in the background", async () => {
  const mayEnd = Promise.withResolvers<void>();
  const { client } = await scouting(mayEnd.promise);
  const ended = client.end();
  mayEnd.resolve();
  expect((await client.until(isResult)).at(-1)).toMatchObject({ result: "It reported." });
  expect(await ended).toBe(0);
});

test.each([
  ["by its task", "stop_task", true, "stopped"],
  ["by an interruption", "interrupt", undefined, "stopped"],
  ["by no interruption where each task can be stopped", "interrupt", true, "completed"],
])("a client stops a subagent in the background %s", async (_, subtype, each, status) => {
  const mayEnd = Promise.withResolvers<void>();
  const { client, id } = await scouting(mayEnd.promise, { perTaskStopAffordance: each });
  const stopped = await client.ask({ subtype, task_id: id });
  expect(stopped).toMatchObject({ subtype: "success" });
  mayEnd.resolve();
  const isEnd = ({ subtype }: Line): boolean => subtype === "task_notification";
  expect((await client.until(isEnd)).at(-1)).toMatchObject({ task_id: id, status });
  // The client keeps its end open.
  expect(await client.kill("SIGTERM")).toBe(143);
});

test("a signal ends it although a subagent works in the background", async () => {
  const { client } = await scouting(new Promise(() => undefined));
  const ended = client.end();
  await client.kill("SIGTERM");
  expect(await ended).toBe(143);
});
