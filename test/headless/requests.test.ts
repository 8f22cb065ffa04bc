/** What a client can request of a run, and the error for what it cannot: of a real run, in this process. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFlags } from "../../src/config/flags.ts";
import { openHeadlessRun } from "../../src/headless/headless-run.ts";
import { answerRequest } from "../../src/headless/requests.ts";
import { toCommand } from "../../src/headless/print/print.ts";
import { startForProgram } from "../../src/run/open-run.ts";
import { stdioServer } from "../extensions/mcp/open-hub.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "requests-")));
afterAll(() => rmSync(base, { recursive: true }));

/** A run of the offline model, which records what it is told. */
async function open(...more: string[]) {
  const cwd = mkdtempSync(join(base, "project-"));
  const home = join(cwd, "home");
  mkdirSync(home);
  const args = ["--output-format=stream-json", "--offline", ...more];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const start = await startForProgram(parseFlags(args), env, cwd);
  const opened = await openHeadlessRun(start, null);
  const told: unknown[] = [];
  opened.send = (command) => void told.push(command);
  const servers = new Map([["docs", { receive: (message: unknown) => void told.push(message) }]]);
  const ask = (subtype: string, fields: object = {}): Promise<unknown> =>
    answerRequest({ subtype, ...fields }, opened, servers).catch(String);
  return { opened, told, ask, changes: () => opened.jobs.waiting.map(({ command }) => command) };
}

const { opened, told, ask, changes } = await open();
afterAll(() => opened.close());

test.each([
  [
    "initialize",
    {
      pid: process.pid,
      commands: [{ name: "compact" }],
      agents: [{ name: "general-purpose" }, { name: "Explore" }],
      account: { apiProvider: "gateway" },
    },
  ],
  ["mcp_status", { mcpServers: [] }],
  ["get_context_usage", { percentage: 0, model: "offline" }],
  ["get_settings", { effective: { permissions: { defaultMode: "default" } }, sources: [] }],
])("%s", async (subtype, answer) => {
  expect(await ask(subtype)).toMatchObject(answer);
  expect([told, changes()]).toEqual([[], []]);
});

test("an interrupt stops the turn, and names the messages that still wait", async () => {
  const { opened: other, told: sent, ask: askOther } = await open();
  other.jobs.push({ command: toCommand([]) });
  other.jobs.push({ command: toCommand([], "waiting") });
  other.jobs.push({ command: { type: "rename", title: "t" } });
  expect(await askOther("interrupt")).toEqual({ still_queued: ["waiting"] });
  expect(sent).toEqual([{ type: "stop" }]);
  await other.close();
});

test.each([
  ["set_permission_mode", { mode: "acceptEdits" }, { type: "mode", mode: "accept-edits" }],
  ["mcp_message", { server_name: "docs", message: 1 }, 1],
])("%s with %j is done at once", async (subtype, fields, command) => {
  expect(await ask(subtype, fields)).toEqual(subtype === "mcp_message" ? {} : fields);
  expect(told.splice(0)).toEqual([command]);
});

test.each([
  ["set_model", { model: "haiku" }, { type: "model", model: "claude-haiku-5-5" }],
  ["set_model", { model: null }, { type: "model", model: "claude-sonnet-5-5" }],
  ["set_max_thinking_tokens", { max_thinking_tokens: 9 }, { type: "effort", effort: "low" }],
  ["set_max_thinking_tokens", { max_thinking_tokens: null }, { type: "effort", effort: null }],
  ["rename_session", { title: "New" }, { type: "rename", title: "New" }],
])("%s with %j waits for the turn", async (subtype, fields, command) => {
  expect(await ask(subtype, fields)).toEqual(subtype === "set_model" ? fields : {});
  expect(changes().at(-1)).toMatchObject(command);
  expect(told).toEqual([]);
});

test("a model that was chosen is the one that is reported", async () => {
  expect(await ask("set_model", { model: "opus" })).toEqual({ model: "opus" });
  expect(await ask("get_settings")).toMatchObject({ effective: { model: "claude-opus-5-5" } });
  expect(await ask("set_model")).toEqual({ model: null });
});

test("an MCP server is connected again", async () => {
  const mcpServers = { docs: stdioServer() };
  const { opened: other, ask: askOther } = await open(
    `--mcp-config=${JSON.stringify({ mcpServers })}`,
  );
  expect(await askOther("mcp_reconnect", { serverName: "docs" })).toEqual({});
  expect(await askOther("mcp_status")).toMatchObject({
    mcpServers: [{ name: "docs", status: "connected" }],
  });
  await other.close();
});

test("bypass must have been allowed at startup", async () => {
  const bypass = { mode: "bypassPermissions" };
  expect(await ask("set_permission_mode", bypass)).toContain(
    "--allow-dangerously-skip-permissions",
  );
  expect(told).toEqual([]);
  for (const flag of ["--allow-dangerously-skip-permissions", "--permission-mode=bypass"]) {
    const { opened: other, told: sent, ask: askOther } = await open(flag);
    expect(await askOther("set_permission_mode", bypass)).toEqual(bypass);
    expect(sent).toEqual([{ type: "mode", mode: "bypass" }]);
    await other.close();
  }
});

test("what does not exist, or has another form, is refused", async () => {
  const before = changes().length;
  expect(await ask("fly")).toContain("does not support the request “fly”");
  expect(await ask("set_permission_mode", { mode: "yolo" })).toContain(
    "The mode must be one of default",
  );
  for (const subtype of ["rename_session", "mcp_reconnect", "rewind_files", "mcp_message"])
    expect(await ask(subtype)).toBeString();
  for (const [subtype, name] of [
    ["set_model", "model"],
    ["set_max_thinking_tokens", "max_thinking_tokens"],
  ] as const)
    expect(await ask(subtype, { [name]: {} })).toBeString();
  expect(await ask("mcp_reconnect", { serverName: "gone" })).toContain(
    "There is no MCP server gone.",
  );
  expect(await ask("rewind_files", { user_message_id: "gone" })).toEqual({
    canRewind: false,
    error: "The session has no message gone.",
  });
  expect([told, changes().length]).toEqual([[], before]);
});
