/** What a prompt attaches from servers. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, setup, stdioServer } from "./open-hub.ts";

const hub = openHub([setup("small", { type: "sdk" })]);
beforeAll(() => hub.connect("small", memoryTransport()));
afterAll(() => hub.close());

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
  await late.close();
});

test("the first 100,000 characters of a longer one are attached, without splitting any", async () => {
  const greeting = async (chars: number) =>
    (await attached(`/small:greet ${"x".repeat(chars - "Greet 🙂.".length)}🙂`))[0]?.[1];
  expect(await greeting(100_000)).toEndWith("x🙂.");
  expect(await greeting(100_001)).toEndWith("x…");
});
