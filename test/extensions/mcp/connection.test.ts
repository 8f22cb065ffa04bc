/** What a connection needs, and what it tells the server. */

import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, test } from "bun:test";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, setup } from "./open-hub.ts";

test.each(["nonsense", "ftp://a.b", "file:///etc/passwd", "https://"])(
  "%s is no address of a server",
  async (url) => {
    const hub = openHub([setup("web", { type: "http", url, headers: {} })]);
    hub.start();
    await hub.settled(20_000);
    expect(hub.servers[0]?.state).toBe("failed");
    expect(hub.servers[0]?.problems).toEqual([
      "Its address must look like https://example.com/mcp.",
    ]);
    await hub.close();
  },
);

test("a server that asks for the root folder gets it", async () => {
  const transport = memoryTransport();
  const answered = Promise.withResolvers<JSONRPCMessage>();
  const { send } = transport;
  transport.send = async (message) =>
    "id" in message && message.id === "roots" ? answered.resolve(message) : send(message);
  const hub = openHub([setup("local", { type: "sdk" })], { cwd: "/work/a b" });
  await hub.connect("local", transport);
  transport.onmessage?.({ jsonrpc: "2.0", id: "roots", method: "roots/list" });
  expect(await answered.promise).toMatchObject({
    result: { roots: [{ uri: "file:///work/a%20b", name: "project" }] },
  });
  await hub.close();
});

test("a server that is silent for too long has failed", async () => {
  const transport = memoryTransport();
  transport.send = async () => undefined;
  const timeouts = { connect: 50, call: 20_000, wait: 20_000 };
  const hub = openHub([setup("silent", { type: "sdk" })], { timeouts });
  await hub.connect("silent", transport);
  expect(hub.servers[0]?.state).toBe("failed");
  await hub.close();
});
