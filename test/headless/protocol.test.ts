/** The lines between a client and a run: in any pieces, with any content; and what a client can request. */

import { expect, test } from "bun:test";
import { isResult, openProgram, type Line } from "./program.ts";
import { stdioServer } from "../extensions/mcp/open-hub.ts";

const { box, ...program } = await openProgram("protocol");

const connect = (...flags: string[]) => program.connect([], { flags: ["--offline", ...flags] });

const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });

test("lines arrive in pieces, within a character too; those that are no message are named", async () => {
  const client = connect();
  const bytes = Buffer.from(JSON.stringify(user("h\u00e4l")));
  const within = bytes.indexOf(0xc3) + 1;
  client.write(bytes.subarray(0, within));
  client.write(bytes.subarray(within));
  client.write(`\n\nnot JSON${"x".repeat(500)}\n`);
  await client.until(isResult);
  // The last line lacks its end.
  client.write(JSON.stringify(user([{ type: "text", text: "last" }, { type: "document" }])));
  const ended = client.end();
  const lines = await client.until(isResult);
  expect(await ended).toBe(0);
  const session = String(lines[0]?.["session_id"]);
  const [log = ""] = await Array.fromAsync(
    new Bun.Glob(`sessions/*/${session}.jsonl`).scan(box.home),
  );
  const text = await Bun.file(`${box.home}/${log}`).text();
  for (const said of [
    "h\u00e4l",
    "last",
    "[A block of type “document” was left out: it is not supported.]",
  ])
    expect(text).toContain(`"text":"${said}"`);
  expect(await client.stderr.text()).toContain(
    `mini-claude: A line on standard input is not a valid message and was ignored: not JSON${"x".repeat(192)}\n`,
  );
});

test("a line that does not end closes the connection", async () => {
  const client = connect();
  client.say("hi");
  await client.until(isResult);
  const piece = " ".repeat(16 * 1024 ** 2);
  for (let sent = 0; sent < 8; sent++) client.write(piece);
  client.write(" ");
  expect(await client.stderr.text()).toContain("A line on standard input is longer than 128 MB.");
});

const failing = (response: Line): unknown => Object(response)["error"];

test("what a client requests is answered, and what it cannot request refused in a sentence", async () => {
  const servers = JSON.stringify({ mcpServers: { docs: stdioServer() } });
  const client = connect(`--mcp-config=${servers}`);
  const ask = async (subtype: string, fields: object = {}): Promise<unknown> => {
    const response = await client.ask({ subtype, ...fields });
    return response.subtype === "success" ? response["response"] : failing(response);
  };
  expect(await ask("initialize")).toMatchObject({
    pid: process.pid,
    commands: expect.arrayContaining([expect.objectContaining({ name: "compact" })]),
    agents: [{ name: "general-purpose" }, { name: "Explore" }],
    models: expect.arrayContaining([expect.objectContaining({ value: "claude-haiku-5-5" })]),
    account: { apiProvider: "gateway" },
  });
  expect(await ask("mcp_reconnect", { serverName: "docs" })).toEqual({});
  expect(await ask("mcp_status")).toMatchObject({
    mcpServers: [{ name: "docs", status: "connected" }],
  });
  expect(await ask("get_context_usage")).toMatchObject({ percentage: 0, model: "offline" });
  expect(await ask("get_settings")).toMatchObject({
    effective: { permissions: { defaultMode: "default" } },
  });
  expect(await ask("set_model", { model: "opus" })).toEqual({ model: "opus" });
  expect(await ask("get_settings")).toMatchObject({ effective: { model: "claude-opus-5-5" } });
  expect(await ask("set_model")).toEqual({ model: null });
  for (const tokens of [9, null])
    expect(await ask("set_max_thinking_tokens", { max_thinking_tokens: tokens })).toEqual({});
  expect(await ask("rename_session", { title: "New" })).toEqual({});
  expect(await ask("rewind_files", { user_message_id: "gone" })).toEqual({
    canRewind: false,
    error: "The session has no message gone.",
  });
  const bypass = { mode: "bypassPermissions" };
  for (const [subtype, fields, sentence] of [
    ["fly", {}, "does not support the request “fly”"],
    ["set_permission_mode", { mode: "yolo" }, "The mode must be one of default"],
    ["set_permission_mode", bypass, "--allow-dangerously-skip-permissions"],
    ["mcp_reconnect", { serverName: "gone" }, "There is no MCP server gone."],
    ["stop_task", { task_id: "gone" }, "No subagent works in the session gone."],
    ["rename_session", {}, "expected string"],
    ["rewind_files", {}, "expected string"],
    ["mcp_message", {}, "expected string"],
    ["set_model", { model: {} }, "expected string"],
    ["set_max_thinking_tokens", { max_thinking_tokens: {} }, "expected number"],
    ["initialize", { sdkMcpServers: ["local"] }, "initialize must be the first message: its opt"],
  ] as const)
    expect(await ask(subtype, fields)).toContain(sentence);
});

test.each(["--allow-dangerously-skip-permissions", "--permission-mode=bypass"])(
  "%s at startup lets the client turn approvals off",
  async (flag) => {
    const client = connect(flag);
    const change = { subtype: "set_permission_mode", mode: "bypassPermissions" };
    expect(await client.ask(change)).toMatchObject({ response: { mode: "bypassPermissions" } });
    client.say("hi");
    await client.until((line) => line["permissionMode"] === "bypassPermissions");
  },
);

test("a hook of a client that does not answer in time costs a warning", async () => {
  const client = connect("--permission-mode=bypass");
  const slow = { hookCallbackIds: ["slow"], timeout: 0.001 };
  client.initialize({ hooks: { UserPromptSubmit: [slow] } });
  client.say("hi");
  expect((await client.until(isResult)).at(-1)).toMatchObject({ subtype: "success" });
});
