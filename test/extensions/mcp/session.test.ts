/** The real program with a server, against the strict fake of the API. */

import { afterEach, expect, test } from "bun:test";
import { sandbox, type Sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";
import {
  call,
  say,
  startFakeApi,
  think,
  type ApiRequest,
  type RunningFakeApi,
} from "../../fake-api/index.ts";
import { stdioServer } from "./open-hub.ts";

let box: Sandbox | undefined;
let api: RunningFakeApi | undefined;

afterEach(async () => {
  expect(api?.refusals).toEqual([]);
  await api?.stop();
  await box?.remove();
});

const config = JSON.stringify({ mcpServers: { small: stdioServer() } });

async function open(share: string) {
  box = inProcess(await sandbox("mcp"));
  api = startFakeApi();
  const env = {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "sk-ant-test-0123456789",
    MINI_CLAUDE_MCP_TOOL_SHARE: share,
  };
  const { run } = box;
  const ask = (...args: string[]) => run(["-p", "--mcp-config", config, ...args], { env });
  const { requests } = api;
  const bodies = () =>
    requests.flatMap(({ path, body }) => (path === "/v1/messages" && body ? [body] : []));
  return { api, ask, bodies };
}

/** Three characters per token: more tokens than any tokenizer counts. */
const countTokens = ({ system, tools, messages }: ApiRequest): number =>
  JSON.stringify([system, tools, messages]).length / 3;

const search = call("ToolSearch", { query: "select:mcp__small__echo" });
const echo = call("mcp__small__echo", { text: "hello from the server" });

test("a tool is found, loaded after the cached prefix and called, and a resumed session knows it", async () => {
  const { api, ask, bodies } = await open("0");
  api.next({ content: [think("find"), search] }, { content: [think("call"), echo] }, say("Done."));
  const first = await ask("--allowedTools", "mcp__small", "say hello");
  expect(first).toMatchObject({ code: 0, out: "Done.\n" });
  const [before, found, called] = bodies();
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
  const resumed = bodies()[3];
  expect(resumed?.tools).toEqual(found?.tools);
  expect(JSON.stringify(resumed?.system)).toBe(JSON.stringify(before?.system));
});

test("without approval a call is denied, whatever the server says about itself", async () => {
  const { api, ask, bodies } = await open("0");
  api.next({ content: [search] }, { content: [echo] }, say("Not allowed."));
  expect(await ask("say hello")).toMatchObject({ code: 0, out: "Not allowed.\n" });
  expect(JSON.stringify(bodies()[2]?.messages.at(-1))).toContain('"is_error":true');
});

test("a resource and a prompt of a server are attached to the message that names them", async () => {
  const { api, ask, bodies } = await open("0");
  api.next(say("Read."), say("Greeted."));
  await ask("look at @small:note://a, please");
  expect(JSON.stringify(bodies()[0]?.messages)).toContain("the note");
  await ask("/small:greet Ada");
  const sent = JSON.stringify(bodies()[1]?.messages);
  expect(sent).toContain("/small:greet Ada");
  expect(sent).toContain("Greet Ada.");
});

test("none of our keys reaches a server", async () => {
  const { api, ask, bodies } = await open("0");
  const env = call("mcp__small__env", {});
  api.next({ content: [env] }, say("Done."));
  await ask("--allowedTools", "mcp__small", "show");
  const sent = JSON.stringify(bodies()[1]?.messages.at(-1));
  expect(sent).toContain("PATH");
  expect(sent).not.toContain("sk-ant-test");
  expect(sent).not.toContain("ANTHROPIC");
});
