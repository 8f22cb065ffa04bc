import { expect, test } from "bun:test";
import { z } from "zod";
import { blockText } from "../../../src/protocol/block.ts";
import type { Tool, ToolRun } from "../../../src/tools/tool.ts";
import { toolSearchTool, type Catalog } from "../../../src/extensions/mcp/tools.ts";

const tool = (name: string, description: string): Tool<unknown> => ({
  name,
  description,
  schema: z.unknown(),
  readOnly: false,
  definition: { name, description, input_schema: { type: "object" } },
  intent: () => Promise.reject(new Error("not called")),
  run: () => Promise.reject(new Error("not called")),
});

const tools = [
  tool("mcp__github__create_issue", "Opens an issue."),
  tool("mcp__github__list_issues", "Lists issues of a repository."),
  tool("mcp__mail__send", "Sends a message about an issue."),
  tool("mcp__mail__search", "Searches messages."),
];

const run: ToolRun = {
  toolUse: "t",
  path: null,
  signal: new AbortController().signal,
  progress: () => undefined,
  ask: async () => ({ allow: false }),
  background: Promise.withResolvers<void>().promise,
  checkpoint: async () => undefined,
};

async function search(query: string, catalog: Partial<Catalog> = {}) {
  const all = { tools: () => tools, connecting: () => [], settled: async () => undefined };
  const { content, loads = [] } = await toolSearchTool({ ...all, ...catalog }).run({ query }, run);
  return { text: blockText(content), names: loads.map(({ name }) => name) };
}

test("select loads exactly these, and names those that do not exist", async () => {
  const found = await search("select:mcp__mail__send, mcp__mail__gone");
  expect(found.names).toEqual(["mcp__mail__send"]);
  expect(found.text).toContain("Not found: mcp__mail__gone.");
});

test("words find names before descriptions, and nothing that matches much worse", async () => {
  expect((await search("create issue")).names).toEqual(["mcp__github__create_issue"]);
  expect((await search("issue")).names).toEqual([
    "mcp__github__create_issue",
    "mcp__github__list_issues",
  ]);
  expect((await search("issue opens")).names).toEqual(["mcp__github__create_issue"]);
  expect((await search("mail")).names.toSorted()).toEqual(["mcp__mail__search", "mcp__mail__send"]);
});

test("words load the best five; many names that do not exist are cut short", async () => {
  const many = Array.from({ length: 7 }, (_, at) => tool(`mcp__s__issue_${at}`, ""));
  expect((await search("issue", { tools: () => many })).names).toEqual(
    many.slice(0, 5).map(({ name }) => name),
  );
  const { text } = await search(`select:${"x".repeat(600)}`);
  expect(text).toEndWith(`Not found: ${"x".repeat(499)}….`);
  expect((await search("x", { connecting: () => ["a", "b"] })).text).toEndWith(
    "a is still connecting. b is still connecting.",
  );
});

test("finding nothing is not an error, and loads nothing", async () => {
  const settled = () => Promise.reject(new Error("no server is connecting"));
  expect(await search("weather", { settled })).toEqual({
    text: "No tool matches; 4 are known.",
    names: [],
  });
});

test("a search waits once for servers that are still connecting", async () => {
  let known: Tool<unknown>[] = tools.slice(0, 2);
  let waits = 0;
  const catalog = {
    tools: () => known,
    connecting: () => (known.length === 2 ? ["mail"] : []),
    settled: async () => {
      waits += 1;
      known = tools;
    },
  };
  expect((await search("select:mcp__mail__send", catalog)).names).toEqual(["mcp__mail__send"]);
  expect((await search("select:mcp__mail__send", catalog)).names).toEqual(["mcp__mail__send"]);
  expect(waits).toBe(1);
});

test("a tool that is known does not wait for servers that connect", async () => {
  const settled = () => Promise.reject(new Error("it waited"));
  const catalog = { connecting: () => ["slow"], settled };
  expect((await search("select:mcp__mail__send", catalog)).names).toEqual(["mcp__mail__send"]);
});
