/** How the model finds tools whose definitions were not sent. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, runTool, setup, stdioServer } from "./open-hub.ts";

const hub = openHub([setup("small", { type: "sdk" })]);
beforeAll(() => hub.connect("small", memoryTransport()));
afterAll(() => hub.close());

async function search(query: string, of = hub) {
  const { content, loads = [] } = await runTool(of, "ToolSearch", { query });
  const names = loads.map(({ name }) => name.replace("mcp__small__", ""));
  return { text: blockText(content), names };
}

test("select loads exactly these, and names those that do not exist", async () => {
  const found = await search("select:mcp__small__echo, mcp__small__gone");
  expect(found.names).toEqual(["echo"]);
  expect(found.text).toContain("Not found: mcp__small__gone.");
  const { text } = await search(`select:${"x".repeat(600)}`);
  expect(text).toEndWith(`Not found: ${"x".repeat(499)}….`);
});

test("words find names before descriptions, and nothing that matches much worse", async () => {
  expect((await search("environment")).names).toEqual(["env"]);
  expect((await search("env of its process")).names).toEqual(["env"]);
  expect((await search("fail")).names).toEqual(["fail"]);
});

test("words load the best five", async () => {
  expect((await search("small")).names).toHaveLength(5);
});

test("finding nothing is not an error, and loads nothing", async () => {
  expect(await search("weather")).toEqual({ text: "No tool matches; 12 are known.", names: [] });
});

test("a search waits for a server that is still connecting", async () => {
  const late = openHub([setup("small", stdioServer())]);
  late.start();
  expect((await search("select:mcp__small__echo", late)).names).toEqual(["echo"]);
  await late.close();
});

test("a tool that is known does not wait for servers that connect", async () => {
  const both = openHub([setup("small", { type: "sdk" }), setup("slow", stdioServer("--silent"))]);
  await both.connect("small", memoryTransport());
  both.start();
  const { names, text } = await search("select:mcp__small__echo", both);
  expect(names).toEqual(["echo"]);
  expect(text).toEndWith("slow is still connecting.");
  await both.close();
});
