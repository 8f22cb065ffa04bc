/** The real program with a server, against the strict fake of the API. */

import { expect, test } from "bun:test";
import { call, say, think, type ApiRequest } from "../../fake-api/index.ts";
import { realProgram } from "../../run/real-program.ts";
import { stdioServer } from "./open-hub.ts";

const { api, env, boxWith } = realProgram("mcp", "sk-ant-test-0123456789");
const config = JSON.stringify({ mcpServers: { small: stdioServer() } });
const settings = { env: { ...env, MINI_CLAUDE_MCP_TOOL_SHARE: "0" } };

/** Three characters per token: more tokens than any tokenizer counts. */
const countTokens = ({ system, tools, messages }: ApiRequest): number =>
  JSON.stringify([system, tools, messages]).length / 3;

const search = call("ToolSearch", { query: "select:mcp__small__echo" });
const echo = call("mcp__small__echo", { text: "hello from the server" });

test("a tool is found, loaded after the cached prefix and called, and a resumed session knows it", async () => {
  const { run } = await boxWith({});
  const ask = (...args: string[]) => run(["-p", "--mcp-config", config, ...args], settings);
  api.next({ content: [think("find"), search] }, { content: [think("call"), echo] }, say("Done."));
  const first = await ask("--allowedTools", "mcp__small", "say hello");
  expect(first).toMatchObject({ code: 0, out: "Done.\n" });
  const [before, found, called] = api.bodies;
  // Functions of scripts take at most 900 of them.
  expect(before && countTokens(before)).toBeLessThan(5_400);
  expect(before?.tools?.map(({ name }) => name)).toContain("ToolSearch");
  expect(JSON.stringify(before?.tools)).not.toContain("mcp__");
  expect(found?.tools?.slice(0, -1)).toEqual(before?.tools);
  expect(found?.tools?.at(-1)).toMatchObject({ name: "mcp__small__echo", defer_loading: true });
  expect(found?.messages.slice(0, 1)).toMatchObject([{ role: "user" }]);
  expect(JSON.stringify(called?.messages)).toContain("hello from the server");

  api.next({ content: [think("again"), echo] }, say("Twice."));
  const second = await ask("-c", "--allowedTools", "mcp__small", "once more");
  expect(second).toMatchObject({ code: 0, out: "Twice.\n" });
  const resumed = api.bodies[3];
  expect(resumed?.tools).toEqual(found?.tools);
  expect(JSON.stringify(resumed?.system)).toBe(JSON.stringify(before?.system));
});
