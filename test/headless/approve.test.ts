/** Who answers a question of the agent when there is no screen: nobody, a client, or a tool. */

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { call, say } from "../fake-api/index.ts";
import { isResult, type Line, openProgram } from "./program.ts";

const { box, api, run, sent, connect } = await openProgram("approve");

const touch = (name: string) => [call("Bash", { command: `touch ${name}` })];
const isThere = (name: string): boolean => existsSync(join(box.project, name));

test.each([
  ["Bash", { command: "touch x" }, "--allowedTools 'Bash(touch:*)', or --permission-mode bypass."],
  ["Write", { file_path: "x", content: "" }, "', or --permission-mode accept-edits."],
  // In that mode, too, a secret file asks.
  ["Write", { file_path: ".env", content: "" }, "to start with --permission-mode bypass."],
])(
  "with nobody to ask, %s %j is denied, with a hint what would allow it",
  async (tool, input, hint) => {
    await run([], [[call(tool, input)], say("No.")]);
    expect(sent()).toContain(hint);
  },
);

const stdio = { flags: ["--permission-prompt-tool=stdio"] };

test("a client changes the mode with its answer, but does not turn approvals off", async () => {
  const answers = ["a", "b", "c"].map(touch);
  const client = connect([...answers, say("Done.")], stdio);
  client.say("go");
  for (const mode of ["bypassPermissions", "bypass", "acceptEdits"]) {
    const { request_id: id } = await client.question();
    const setMode = { type: "setMode", mode, destination: "session" };
    client.reply(id, { behavior: "allow", updatedPermissions: [setMode] });
  }
  const lines = await client.until(isResult);
  const modes = new Set(lines.flatMap(({ permissionMode: mode }) => mode ?? []));
  expect([...modes]).toEqual(["acceptEdits"]);
  expect(["a", "b", "c"].map(isThere)).toEqual([true, true, true]);
});

test("a client stops the turn with its answer", async () => {
  const client = connect([touch("stopped")], stdio);
  client.say("go");
  const { request_id: id } = await client.question();
  client.reply(id, { behavior: "deny", message: "No.", interrupt: true });
  expect((await client.until(isResult)).at(-1)).toMatchObject({
    subtype: "error_during_execution",
  });
});

test("a client allows all calls of a kind, for the session or in the settings", async () => {
  const suggestion = {
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent: "touch:*" }],
    behavior: "allow",
    destination: "session",
  };
  const client = connect([touch("d"), touch("e"), say("Done.")], stdio);
  client.say("go");
  const { request_id: id, request } = await client.question();
  expect(request).toMatchObject({ permission_suggestions: [suggestion], title: "Run a command" });
  client.reply(id, { behavior: "allow", updatedPermissions: [suggestion] });
  await client.until(isResult);
  await client.end();
  const other = connect([touch("f"), say("Done.")], stdio);
  other.say("go");
  const always = { ...suggestion, destination: "localSettings" };
  other.reply((await other.question())["request_id"], {
    behavior: "allow",
    updatedPermissions: [{ ...suggestion, behavior: "deny" }, always],
  });
  await other.until(isResult);
  await other.end();
  await run([], [touch("g"), say("Done.")]);
  expect(["d", "e", "f", "g"].map(isThere)).toEqual([true, true, true, true]);
});

test("a tool of an MCP server is told of the call, and answers as a client does; anything else denies", async () => {
  const flags = ["--permission-prompt-tool=mcp__local__decide"];
  const client = connect([], { flags });
  client.initialize({ sdkMcpServers: ["local"] });
  const decided = async (text: string, isError = false) => {
    const told: object[] = [];
    const decide = (input: object) => {
      told.push(input);
      return { content: [{ type: "text", text }], isError };
    };
    api.next([call("Bash", { command: "mkdir gate" }, `t${api.requests.length}`)], say("Done."));
    client.say("go");
    const lines: Line[] = await client.serving({ name: "decide", call: decide }, isResult);
    const { content, is_error: denied } = Object(
      lines.find(({ type }) => type === "user")?.["message"],
    ).content[0];
    return { told, content, denied };
  };
  const allow = { behavior: "allow", updatedInput: { command: "mkdir other" } };
  const { told } = await decided(JSON.stringify(allow));
  expect(told).toEqual([
    {
      tool_name: "Bash",
      input: { command: "mkdir gate" },
      tool_use_id: expect.stringMatching(/^t\d/),
    },
  ]);
  expect(["gate", "other"].map(isThere)).toEqual([false, true]);
  expect(await decided("The server is gone.", true)).toMatchObject({
    content: expect.stringContaining("The server is gone."),
    denied: true,
  });
  for (const [text, isError] of [
    ['{"behavior": "allow"}', true],
    ["yes", false],
    ['{"behavior": "perhaps"}', false],
  ] as const)
    expect(await decided(text, isError)).toMatchObject({ denied: true });
  expect(isThere("gate")).toBe(false);
});
