/** What the model gets of servers: tools that are found, resources that are read, and what a prompt attaches. */

import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import { memoryTransport } from "./memory-transport.ts";
import { closeHubs, openHub, runTool, setup, stdioServer } from "./open-hub.ts";

const hub = openHub([setup("small", { type: "sdk" })]);
const two = openHub([setup("one", { type: "sdk" }), setup("two", { type: "sdk" })]);
beforeAll(async () => {
  await hub.connect("small", memoryTransport());
  for (const name of ["one", "two"]) await two.connect(name, memoryTransport());
});
afterAll(closeHubs);

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

test("words find names before descriptions, nothing that matches much worse, and at most five", async () => {
  expect((await search("environment")).names).toEqual(["env"]);
  expect((await search("env of its process")).names).toEqual(["env"]);
  expect((await search("fail")).names).toEqual(["fail"]);
  expect((await search("small")).names).toHaveLength(5);
  expect(await search("weather")).toEqual({ text: "No tool matches; 11 are known.", names: [] });
});

test("a search waits for a server that is still connecting", async () => {
  const late = openHub([setup("small", stdioServer())]);
  late.start();
  expect((await search("select:mcp__small__echo", late)).names).toEqual(["echo"]);
});

test("a tool that is known does not wait for servers that connect", async () => {
  const both = openHub([setup("small", { type: "sdk" }), setup("slow", stdioServer("--silent"))]);
  await both.connect("small", memoryTransport());
  both.start();
  const settled = spyOn(both, "settled");
  const { names, text } = await search("select:mcp__small__echo", both);
  expect(settled).not.toHaveBeenCalled();
  expect(names).toEqual(["echo"]);
  expect(text).toEndWith("slow is still connecting.");
});

test("resources are listed by server, and read of one that exists", async () => {
  const { content } = await runTool(two, "ListMcpResources");
  expect(blockText(content).split("\n")).toEqual([
    "one note://a: a, text/plain",
    "two note://a: a, text/plain",
  ]);
  const read = (server: string) => runTool(two, "ReadMcpResource", { server, uri: "note://a" });
  expect(blockText((await read("two")).content)).toBe("[Resource note://a]\nthe note");
  await expect(read("three")).rejects.toThrow("There is no MCP server three. Known: one, two.");
});

test("a question names the server first, and what it would be sent", async () => {
  const tool = two.findTool("mcp__one__echo");
  expect(await tool?.intent({ text: "hi" })).toEqual({
    access: { kind: "external" },
    title: "MCP server one: echo",
    detail: '{\n  "text": "hi"\n}',
  });
  const read = two.findTool("ReadMcpResource");
  const asked = await read?.intent({ server: "two", uri: "note://a" });
  expect(asked).toMatchObject({
    access: { kind: "external", tool: "mcp__two__read_resource" },
    title: "MCP server two: read note://a",
  });
});

test("a tool that its server does not have fails; one of no server is not there", async () => {
  await expect(runTool(two, "mcp__one__gone")).rejects.toThrow(
    "The MCP server one has no tool mcp__one__gone.",
  );
  expect(two.findTool("mcp__three__echo")).toBeUndefined();
});

async function attached(text: string): Promise<string[][]> {
  const facts = await hub.attachments(text, new AbortController().signal);
  return facts.map(({ title, content }) => [title, blockText(content)]);
}

test("resources are attached by server and URI, without the punctuation after them", async () => {
  const note = (uri: string) => [`small:${uri}`, `[Resource ${uri}]\nthe note`];
  expect(await attached("See @small:note://a, or (@small:note://b) @nobody:note://c.")).toEqual([
    note("note://a"),
  ]);
  expect(await attached("@small:note://a\n@small:note://b?!")).toEqual([
    note("note://a"),
    note("note://b"),
  ]);
  expect(await attached("mail me@small:note://a")).toEqual([]);
  expect(await attached(" @small:note://a".repeat(12))).toHaveLength(10);
});

test("a prompt is attached with its words, under both of its names", async () => {
  const greeting = [["prompt small:greet", "Greet Ada Lovelace."]];
  expect(await attached("/small:greet  Ada Lovelace")).toEqual(greeting);
  expect(await attached("/mcp__small__greet Ada Lovelace ")).toEqual(greeting);
  expect(await attached("/small:greet")).toEqual([["prompt small:greet", "Greet world."]]);
  expect(await attached(" \n/small:greet Ada Lovelace")).toEqual(greeting);
  expect(await attached("/nobody:greet")).toEqual([]);
  expect(await attached("/small:gone")).toEqual([
    ["prompt small:gone", "The MCP server small has no prompt gone."],
  ]);
});

test("a prompt waits for a server that is still connecting", async () => {
  const late = openHub([setup("late", stdioServer())]);
  late.start();
  const [fact] = await late.attachments("/late:greet Ada", new AbortController().signal);
  expect(fact && blockText(fact.content)).toBe("Greet Ada.");
});

test("the first 100,000 characters of a longer one are attached, without splitting any", async () => {
  const greeting = async (chars: number) =>
    (await attached(`/small:greet ${"x".repeat(chars - "Greet 🙂.".length)}🙂`))[0]?.[1];
  expect(await greeting(100_000)).toEndWith("x🙂.");
  expect(await greeting(100_001)).toEndWith("x…");
});
