/**
 * An invalid part of a server's answer is dropped or repaired alone. Everything goes through the
 * client.
 */

import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJSONRPCMessage } from "@modelcontextprotocol/client";
import type { Hub } from "../../../src/extensions/mcp/hub.ts";
import { repair } from "../../../src/extensions/mcp/repair.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, runTool, setup } from "./open-hub.ts";
import { png } from "./small-server.ts";

let hub: Hub | undefined;
afterEach(() => hub?.close());

/** A server that answers a method with this. */
async function answering(method: string, result: object): Promise<Hub> {
  const transport = memoryTransport();
  const { send } = transport;
  transport.send = async (message) => {
    const isAsked = "method" in message && message.method === method && "id" in message;
    if (!isAsked) return send(message);
    transport.onmessage?.(parseJSONRPCMessage({ jsonrpc: "2.0", id: message.id, result }));
  };
  hub = openHub([setup("s", { type: "sdk" })]);
  await hub.connect("s", transport);
  return hub;
}

/** The content of a call's result: the texts, and the types of other blocks. */
async function shown(result: object): Promise<string[]> {
  const { content } = await runTool(await answering("tools/call", result), "mcp__s__echo");
  return content.map((block) => (block.type === "text" ? block.text : block.type));
}

const before = { type: "text", text: "before" };

test("an image, a sound or a file with invalid base64 becomes a line of text beside the rest", async () => {
  const content = [
    before,
    { type: "image", data: "not base64 !!!", mimeType: "image/png" },
    { type: "image" },
    { type: "audio", data: "###", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "a://b", blob: "###", mimeType: "application/pdf" } },
    { type: "resource", resource: { uri: "a://c" } },
  ];
  expect(await shown({ content })).toEqual([
    "before",
    "[Image (image/png) that cannot be shown.]",
    "[Image (undefined) that cannot be shown.]",
    "[Audio (audio/wav) that cannot be shown.]",
    "[Resource a://b: 0 bytes of application/pdf]",
    "[Resource a://c]\n[Content that cannot be shown.]",
  ]);
});

test("an image is shown from base64 with line breaks, for URLs, or in a data URL", async () => {
  const lines = png.replace(/.{40}/g, "$&\r\n");
  const forUrls = png.replaceAll("+", "-").replaceAll("/", "_");
  const content = [lines, forUrls, `data:image/png;base64,${png}`].map((data) => {
    return { type: "image", data, mimeType: "image/png" };
  });
  expect(await shown({ content })).toEqual(["image", "image", "image"]);
});

test("content of an unknown type, or an invalid description, does not affect the rest", async () => {
  const content = [
    { ...before, annotations: { priority: 7 } },
    "bare",
    null,
    { type: "a\u001b[2Jb" },
  ];
  expect(await shown({ content, isError: "no" })).toEqual([
    "before",
    "bare",
    "[Content that cannot be shown.]",
    "[Content that cannot be shown: ab.]",
  ]);
  expect(await shown({ content: "alone" })).toEqual(["alone"]);
});

const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

test("content that is nested too deeply becomes a line of text", async () => {
  const words = '{"text":"[Content that is nested too deeply.]"}';
  expect(await shown({ content: [], structuredContent: nested(100_000) })).toEqual([words]);
  expect(await shown({ content: [before], _meta: nested(100_000) })).toEqual(["before"]);
  expect(await shown({ content: [before, { type: "x", a: nested(100_000) }] })).toHaveLength(2);
  const kept = nested(500);
  expect(await shown({ content: [], structuredContent: kept })).toEqual([JSON.stringify(kept)]);
});

test("an unusable tool is listed with the reason, and the others work", async () => {
  const inputSchema = { type: "object" };
  const tools = [
    { name: "good", inputSchema },
    { name: "typeless", inputSchema: { properties: {} } },
    { name: "described", description: null, inputSchema, outputSchema: { type: "string" } },
    { name: "text", inputSchema: { type: "string" } },
    { name: "without" },
    { name: "deep", inputSchema: { type: "object", properties: { a: nested(10_000) } } },
  ];
  const [server] = (await answering("tools/list", { tools })).servers;
  expect(server?.state).toBe("connected");
  expect(server?.lists.tools.map(({ remote }) => remote)).toEqual([
    "good",
    "typeless",
    "described",
  ]);
  expect(server?.problems).toEqual(
    ["text", "without", "deep"].map(
      (name) => `${name}: its schema is not one that the API accepts`,
    ),
  );
});

test("a resource without an address does not affect the others", async () => {
  const resources = [{ name: "none" }, { uri: "a://b", name: "b" }];
  const [server] = (await answering("resources/list", { resources })).servers;
  expect(server?.lists.resources.map(({ uri }) => uri)).toEqual(["a://b"]);
});

test("an answer that does not follow JSON-RPC ends its call, and not the server", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-repair-"));
  const script = join(folder, "server.ts");
  const initialized = {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "s", version: "1" },
  };
  writeFileSync(
    script,
    `for await (const line of console) {
      const { id, method } = JSON.parse(line);
      const result = { "initialize": ${JSON.stringify(initialized)}, "tools/list": { tools: [] } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: result[method] ?? "text" }));
    }`,
  );
  const config = { type: "stdio" as const, command: process.execPath, args: [script], env: {} };
  hub = openHub([setup("s", config)]);
  await hub.servers[0]?.connect();
  const call = hub.servers[0]?.readResource("a://b", new AbortController().signal);
  await expect(call).rejects.toThrow("Its answer does not follow JSON-RPC.");
  expect(hub.servers[0]?.state).toBe("connected");
  rmSync(folder, { recursive: true });
});

test("a list that is far too long is cut before it is checked", () => {
  const tools = Array.from({ length: 100_000 }, (_, at) => ({ name: `t${at}`, inputSchema: {} }));
  const message = { jsonrpc: "2.0", id: 1, result: { tools } };
  repair(message);
  expect(message.result.tools).toHaveLength(1_000);
});
