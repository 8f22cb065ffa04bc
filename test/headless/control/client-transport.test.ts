/** An MCP server that runs in the client. */

import { expect, test } from "bun:test";
import { ClientTransport } from "../../../src/headless/client.ts";

/** A transport whose client answers everything with `answer`. */
function open(answer: unknown) {
  const asked: object[] = [];
  const came: unknown[] = [];
  const transport = new ClientTransport("docs", {
    request: async (request) => {
      asked.push(request);
      return { mcp_response: answer };
    },
  });
  transport.onmessage = (message) => void came.push(message);
  return { transport, asked, came };
}

const pong = { jsonrpc: "2.0", id: 1, result: {} };
const failed = { jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } };
const changed = { jsonrpc: "2.0" as const, method: "notifications/tools/list_changed" };

test("a request goes to the server by its name, and the answer comes back", async () => {
  const { transport, asked, came } = open(pong);
  const ping = { jsonrpc: "2.0" as const, id: 1, method: "ping" };
  await transport.send(ping);
  expect(asked).toEqual([{ subtype: "mcp_message", server_name: "docs", message: ping }]);
  expect(came).toEqual([pong]);
});

test("the reply to our own notification or answer is not a message", async () => {
  const { transport, came } = open(pong);
  await transport.send(changed);
  await transport.send({ jsonrpc: "2.0", id: 7, result: {} });
  expect(came).toEqual([]);
});

test("only JSON-RPC of the server is a message", () => {
  const { transport, came } = open(null);
  const wrong = [null, "ping", { ...pong, jsonrpc: "1.0" }, { jsonrpc: "2.0", id: 1 }];
  for (const message of [changed, failed, ...wrong]) transport.receive(message);
  expect(came).toEqual([changed, failed]);
});

test("pending requests are told that the connection was closed", async () => {
  const { transport } = open(null);
  let isClosed = false;
  transport.onclose = () => (isClosed = true);
  await transport.close();
  expect(isClosed).toBe(true);
});
