/** What a server is asked for, by what it says it can do. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { expect, test } from "bun:test";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, setup } from "./open-hub.ts";

type Result = Record<string, unknown>;

/** Connects to the small server with some of its results replaced; null: that request fails. */
async function listed(replaced: Record<string, (result: Result) => Result | null>) {
  const transport: Transport = memoryTransport();
  const { send } = transport;
  const methods = new Map<unknown, string>();
  const asked: string[] = [];
  transport.send = async (message) => {
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
  const found = { asked, state: server?.state, lists: server?.lists };
  await hub.close();
  return found;
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

test("a server whose tools cannot be listed has failed", async () => {
  expect((await listed({ "tools/list": () => null })).state).toBe("failed");
});
