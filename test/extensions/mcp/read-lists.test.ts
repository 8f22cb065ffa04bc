/** What a server is asked for, by what it says it can do. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { afterEach, expect, test } from "bun:test";
import { memoryTransport } from "./memory-transport.ts";
import { closeHubs, openHub, runTool, setup } from "./open-hub.ts";

afterEach(closeHubs);

type Result = Record<string, unknown>;

/** Connects to the small server with some of its results replaced; null: that request fails. */
async function listed(replaced: Record<string, (result: Result) => Result | null>) {
  const transport: Transport = memoryTransport();
  const { send, close } = transport;
  let isClosed = false;
  transport.close = async () => {
    isClosed = true;
    await close();
  };
  const methods = new Map<unknown, string>();
  const asked: string[] = [];
  const sent: JSONRPCMessage[] = [];
  transport.send = async (message) => {
    sent.push(message);
    if ("method" in message && "id" in message) {
      methods.set(message.id, message.method);
      asked.push(message.method);
    }
    const deliver = transport.onmessage;
    transport.onmessage = (answer) => deliver?.(changed(answer));
    await send(message);
    if (deliver) transport.onmessage = deliver;
  };
  const changed = (answer: JSONRPCMessage): JSONRPCMessage => {
    if (!("result" in answer)) return answer;
    const change = replaced[methods.get(answer.id) ?? ""];
    if (!change) return answer;
    const result = change(answer.result);
    const error = { code: -32_603, message: "It is broken." };
    return result
      ? { jsonrpc: "2.0", id: answer.id, result }
      : { jsonrpc: "2.0", id: answer.id, error };
  };
  const hub = openHub([setup("s", { type: "sdk" })]);
  await hub.connect("s", transport);
  const [server] = hub.servers;
  return { asked, sent, hub, state: server?.state, lists: server?.lists, isClosed };
}

const can = (capabilities: object) => ({
  initialize: (result: Result) => ({ ...result, capabilities, instructions: "x".repeat(1_001) }),
});

test("only what a server can do is asked for; of its instructions the first 1,000 characters", async () => {
  const { asked, lists } = await listed(can({ prompts: {} }));
  expect(asked.filter((method) => method.endsWith("/list"))).toEqual(["prompts/list"]);
  expect(lists).toMatchObject({ tools: [], resources: [] });
  expect(lists?.prompts).toHaveLength(1);
  expect(lists?.instructions).toBe(`${"x".repeat(999)}…`);
});

test.each(["prompts/list", "resources/list"])(
  "a server whose %s fails is connected without it",
  async (method) => {
    const { state, lists } = await listed({ [method]: () => null });
    expect(state).toBe("connected");
    expect(lists?.tools.length).toBeGreaterThan(0);
    const { prompts = [], resources = [] } = lists ?? {};
    expect(prompts.length + resources.length).toBe(1);
  },
);

test("a server whose tools cannot be listed has failed, and is closed", async () => {
  const tried = await listed({ "tools/list": () => null });
  expect(tried).toMatchObject({ state: "failed", isClosed: true });
});

/** Connected to a server that lists these tools. */
const listing = (...tools: object[]) =>
  listed({ "tools/list": (result) => ({ ...result, tools }) });
const withTools = async (...tools: object[]) => (await listing(...tools)).lists;

const plain = { type: "object" };

test("names of tools fit every API and stay distinct; one that is not unique is left out", async () => {
  const long = ["x".repeat(100), "x".repeat(101)];
  const names = ["a.b/c", ...long, "", "a.b/c"];
  const lists = await withTools(...names.map((name) => ({ name, inputSchema: plain })));
  const found = lists?.tools.map(({ definition }) => definition.name) ?? [];
  expect(found[0]).toBe("mcp__s__a_b_c");
  expect(new Set(found).size).toBe(3);
  expect(found.every((name) => name.length <= 64)).toBe(true);
  expect(lists?.problems).toEqual([": its name is not unique", "a.b/c: its name is not unique"]);
});

test("properties whose names the API does not accept are renamed, and sent under their own", async () => {
  const inputSchema = {
    ...plain,
    properties: {
      "filter[name]": { type: "string" },
      filter_name_: {},
      "a b": {},
      ä: {},
      ["ö".repeat(60)]: {},
    },
    required: ["filter[name]", "filter_name_"],
  };
  const { lists, hub, sent } = await listing({ name: "t", inputSchema });
  expect(lists?.problems).toEqual([]);
  expect(lists?.tools[0]?.definition.input_schema).toMatchObject({
    properties: { filter_name__: { type: "string" }, filter_name_: {}, a_b: {}, _: {} },
    required: ["filter_name__", "filter_name_"],
  });
  expect([...(lists?.tools[0]?.renamed ?? [])]).toEqual([
    ["filter_name__", "filter[name]"],
    ["a_b", "a b"],
    ["_", "ä"],
    ["_".repeat(50), "ö".repeat(60)],
  ]);
  const call = runTool(hub, "mcp__s__t", { filter_name__: "x", filter_name_: "y" });
  await expect(call).rejects.toThrow("Method not found");
  const given = { "filter[name]": "x", filter_name_: "y" };
  expect(sent.at(-1)).toMatchObject({ params: { arguments: given } });
});

test("a schema is sent in a form that the API accepts, or the tool is left out", async () => {
  const schemaOf = async (inputSchema: object) => {
    const lists = await withTools({ name: "t", inputSchema: { ...plain, ...inputSchema } });
    return lists?.tools[0]?.definition.input_schema ?? lists?.problems;
  };
  expect(
    await schemaOf({ $schema: "x", properties: { a: {} }, oneOf: [{ required: ["a"] }] }),
  ).toEqual({ type: "object", properties: { a: {} } });
  expect(await schemaOf({})).toEqual({ type: "object", properties: {} });
  const nested = (levels: number): object => (levels === 0 ? {} : { x: nested(levels - 1) });
  expect(await schemaOf({ properties: nested(22) })).toMatchObject({ type: "object" });
  expect(await schemaOf({ properties: nested(30) })).toEqual(["t: its schema is too large"]);
});

test("one malformed tool does not take the others away", async () => {
  const inputSchema = { ...plain, properties: null, required: null };
  const lists = await withTools(
    { name: "nulls", inputSchema },
    { name: "either", inputSchema: { anyOf: [plain] } },
    { name: "bare", description: null },
    { inputSchema: plain },
  );
  expect(lists?.tools.map(({ remote }) => remote)).toEqual(["nulls", "either", "bare"]);
  for (const { definition } of lists?.tools ?? [])
    expect(definition.input_schema).toEqual({ type: "object", properties: {} });
  expect(lists?.problems).toHaveLength(1);
});

test("of a prompt the first 20 arguments are listed; one whose name the API does not accept is left out", async () => {
  const args = Array.from({ length: 21 }, (_, at) => ({ name: `a${at}`, required: at === 0 }));
  const prompts = [{ name: "p", arguments: args }, { name: "p q" }];
  const { lists } = await listed({ "prompts/list": (result) => ({ ...result, prompts }) });
  expect(lists?.prompts).toMatchObject([{ name: "p", arguments: args.slice(0, 20) }]);
});

test("a resource is left out if its address is too long or could not be named in a prompt", async () => {
  const uris = ["f://a", `f://${"x".repeat(997)}`, "f://a b", "f://a\u001b[2J", "f://a\u202e"];
  const { lists } = await listed({
    "resources/list": (result) => ({
      ...result,
      resources: uris.map((uri) => ({ uri, name: "n" })),
    }),
  });
  expect(lists?.resources.map(({ uri }) => uri)).toEqual(["f://a"]);
});
