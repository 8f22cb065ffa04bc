/** What a client can request of a run, and the error for what it cannot. */

import { expect, test } from "bun:test";
import { answerRequest, type Controlled } from "../../src/control/requests.ts";

/** Answers a request; the run records its commands. */
async function answered(request: { subtype: string; [key: string]: unknown }, mayBypass = false) {
  const told: unknown[] = [];
  const note =
    (name: string) =>
    (...values: unknown[]): void =>
      void told.push([name, ...values]);
  const run: Controlled = {
    describe: () => ({ pid: 1 }),
    stop: () => ["waiting"],
    setMode: note("mode"),
    setModel: note("model"),
    setThinkingTokens: note("thinking"),
    rewindFiles: async (message, isPreview) => ({ message, isPreview }),
    models: () => [{ value: "m" }],
    mcpServers: () => [{ name: "docs" }],
    reconnect: async (server) => {
      if (server === "gone") throw new Error("There is no MCP server gone.");
      note("reconnect")(server);
    },
    receive: note("receive"),
    contextUsage: () => ({ percentage: 5 }),
    settings: () => ({ sources: [] }),
    cost: () => ({ total_cost_usd: 1 }),
    rename: note("rename"),
    mayBypass,
  };
  const answer = await answerRequest(request, run).catch((error: unknown) => String(error));
  return { answer, told };
}

test.each([
  ["initialize", { pid: 1 }],
  ["interrupt", { still_queued: ["waiting"] }],
  ["list_models", { models: [{ value: "m" }] }],
  ["mcp_status", { mcpServers: [{ name: "docs" }] }],
  ["get_context_usage", { percentage: 5 }],
  ["get_settings", { sources: [] }],
  ["get_session_cost", { total_cost_usd: 1 }],
  ["set_color", {}],
  ["set_has_subscribers", {}],
])("%s", async (subtype, answer) => {
  expect(await answered({ subtype })).toEqual({ answer, told: [] });
});

test.each([
  [{ subtype: "set_model", model: "haiku" }, { model: "haiku" }, ["model", "haiku"]],
  [{ subtype: "set_model" }, { model: null }, ["model", null]],
  [{ subtype: "set_permission_mode", mode: "acceptEdits" }, {}, ["mode", "accept-edits"]],
  [{ subtype: "set_max_thinking_tokens", max_thinking_tokens: 9 }, {}, ["thinking", 9]],
  [{ subtype: "set_max_thinking_tokens", max_thinking_tokens: null }, {}, ["thinking", null]],
  [{ subtype: "mcp_message", server_name: "docs", message: 1 }, {}, ["receive", "docs", 1]],
  [{ subtype: "mcp_reconnect", serverName: "docs" }, {}, ["reconnect", "docs"]],
  [{ subtype: "rename_session", title: "New" }, {}, ["rename", "New"]],
])("%j changes the run", async (request, answer, change) => {
  const { answer: got, told } = await answered(request);
  expect(got).toMatchObject(answer);
  expect(told).toEqual([change]);
});

test("files are rewound, or only previewed", async () => {
  const request = { subtype: "rewind_files", user_message_id: "u1" };
  expect((await answered(request)).answer).toEqual({ message: "u1", isPreview: false });
  const preview = await answered({ ...request, dry_run: true });
  expect(preview.answer).toEqual({ message: "u1", isPreview: true });
});

test("bypass must have been allowed at startup", async () => {
  const request = { subtype: "set_permission_mode", mode: "bypassPermissions" };
  const refused = await answered(request);
  expect(refused.answer).toContain("--allow-dangerously-skip-permissions");
  expect(refused.told).toEqual([]);
  expect((await answered(request, true)).told).toEqual([["mode", "bypass"]]);
});

test("what does not exist, or has another form, is refused", async () => {
  expect((await answered({ subtype: "fly" })).answer).toContain(
    "does not support the request “fly”",
  );
  const mode = await answered({ subtype: "set_permission_mode", mode: "yolo" });
  expect(mode.answer).toContain("The mode must be one of default");
  for (const subtype of ["rename_session", "mcp_reconnect", "rewind_files"])
    expect((await answered({ subtype })).answer).toBeString();
  const gone = await answered({ subtype: "mcp_reconnect", serverName: "gone" });
  expect(gone.answer).toContain("There is no MCP server gone.");
});

test("a title is the first line that says something, and short", async () => {
  const titled = async (description: string) =>
    (await answered({ subtype: "generate_session_title", description })).answer;
  expect(await titled("\n  Fix the  meter\nplease")).toEqual({ title: "Fix the meter" });
  expect(await titled("x".repeat(61))).toEqual({ title: `${"x".repeat(59)}…` });
  expect(await titled("x".repeat(60))).toEqual({ title: "x".repeat(60) });
  expect(await titled("")).toEqual({ title: "" });
});
