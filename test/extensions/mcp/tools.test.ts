/** The tools that stand for servers: what they ask, list and read. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, runTool, setup } from "./open-hub.ts";

const hub = openHub([setup("one", { type: "sdk" }), setup("two", { type: "sdk" })]);
beforeAll(async () => {
  for (const name of ["one", "two"]) await hub.connect(name, memoryTransport());
});
afterAll(() => hub.close());

test("resources are listed by server", async () => {
  const { content } = await runTool(hub, "ListMcpResources");
  expect(blockText(content).split("\n")).toEqual([
    "one note://a: a, text/plain",
    "two note://a: a, text/plain",
  ]);
});

test("a resource is read of a server that exists", async () => {
  const read = (server: string) => runTool(hub, "ReadMcpResource", { server, uri: "note://a" });
  expect(blockText((await read("two")).content)).toBe("[Resource note://a]\nthe note");
  await expect(read("three")).rejects.toThrow("There is no MCP server three. Known: one, two.");
});

test("a question names the server first, and what it would be sent", async () => {
  const tool = hub.findTool("mcp__one__echo");
  expect(await tool?.intent({ text: "hi" })).toEqual({
    access: { kind: "external" },
    title: "MCP server one: echo",
    detail: '{\n  "text": "hi"\n}',
  });
  const read = hub.findTool("ReadMcpResource");
  const asked = await read?.intent({ server: "two", uri: "note://a" });
  expect(asked).toMatchObject({
    access: { kind: "external", tool: "mcp__two__read_resource" },
    title: "MCP server two: read note://a",
  });
});

test("a tool that its server does not have fails; one of no server is not there", async () => {
  await expect(runTool(hub, "mcp__one__gone")).rejects.toThrow(
    "The MCP server one has no tool mcp__one__gone.",
  );
  expect(hub.findTool("mcp__three__echo")).toBeUndefined();
});
