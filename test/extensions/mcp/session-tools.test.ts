/** Which definitions of MCP tools a session begins with. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  createAnnouncer,
  firstTools,
  lacksSearch,
  listPrompts,
  smallTools,
} from "../../../src/extensions/mcp/session.ts";
import { lookUpRules } from "../../../src/model/catalog.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { freeCut, makePath, sessionWith } from "../../facts.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, setup } from "./open-hub.ts";

const hub = openHub([setup("small", { type: "sdk" })]);
beforeAll(() => hub.connect("small", memoryTransport()));
afterAll(() => hub.close());

const rules = lookUpRules("claude-sonnet-5-5");

const pathWith = (...tools: string[]): Entry[] => makePath(sessionWith(...tools));

const listNames = async (path: Entry[], mcpToolShare = 0.1): Promise<string[]> =>
  (await firstTools(hub, path, { mcpToolShare }, rules)).map(({ name }) => name);

test("a new session begins with all of them, or with none if they are long", async () => {
  expect(await listNames([])).toContain("mcp__small__echo");
  expect(await listNames([], 0)).toEqual([]);
});

test("they take at most their share of the window, in characters", () => {
  const asked: number[] = [];
  const firstDefinitions = (chars: number) => (asked.push(chars), []);
  const small = Object.assign(openHub([]), { firstDefinitions });
  const charsPerToken = { prose: 9, code: 3, result: 9 };
  smallTools(small, { mcpToolShare: 0.5 }, { ...rules, windowTokens: 1_000, charsPerToken });
  expect(asked).toEqual([1_500]);
});

test("a resumed session keeps those that it began with", async () => {
  expect(await listNames(pathWith("Read", "ToolSearch"))).toEqual([]);
  const began = pathWith("Read", "ToolSearch", "mcp__small__echo");
  expect(await listNames(began, 0)).toEqual(["mcp__small__echo"]);
});

test("one that began without servers gets what a new one gets", async () => {
  expect(await listNames(pathWith("Read"))).toContain("mcp__small__echo");
});

test("only a session that began without servers lacks the search", () => {
  expect(lacksSearch(hub, pathWith("Read"))).toBe(true);
  expect(lacksSearch(hub, pathWith("Read", "ToolSearch"))).toBe(false);
  expect(lacksSearch(hub, [])).toBe(false);
  expect(lacksSearch(null, pathWith("Read"))).toBe(false);
});

test("without servers there are none", async () => {
  expect(await firstTools(null, [], { mcpToolShare: 1 }, rules)).toEqual([]);
});

test("a server that connects soon is waited for", async () => {
  const soon = openHub([setup("soon", { type: "sdk" })]);
  void soon.connect("soon", memoryTransport());
  const tools = await firstTools(soon, [], { mcpToolShare: 1 }, rules);
  expect(tools.map(({ name }) => name)).toContain("mcp__soon__echo");
  await soon.close();
});

test("prompts are commands: their description, else where they are from, and their arguments", () => {
  expect(listPrompts(null)).toEqual([]);
  expect(listPrompts(hub)).toEqual([
    {
      name: "mcp__small__greet",
      description: "A greeting.",
      argumentHint: "[who]",
      kind: "command",
    },
  ]);
  const [server] = hub.servers;
  const args = [
    { name: "from", required: true },
    { name: "to", required: false },
  ];
  const prompt = { name: "go", description: "", arguments: args };
  const bare = Object.assign(openHub([]), {
    servers: [{ ...server, name: "bare", lists: { ...server?.lists, prompts: [prompt] } }],
  });
  expect(listPrompts(bare)).toMatchObject([
    { description: "prompt of the MCP server bare", argumentHint: "<from> [to]" },
  ]);
});

test("a server is announced once, and again after a cut or when something has changed", async () => {
  const own = openHub([setup("own", { type: "sdk" })]);
  await own.connect("own", memoryTransport());
  const announce = createAnnouncer(own);
  const path = pathWith("Read", "ToolSearch");
  const first = announce(path);
  expect(first).not.toEqual([]);
  // The announcement is not in the log yet: only the catalog of the servers is saved.
  expect(announce(path)).toEqual([]);
  const cut = makePath(sessionWith("Read", "ToolSearch"), freeCut());
  expect(announce(cut)).toEqual(first);
  expect(announce(cut)).toEqual([]);
  // A rewind makes the path shorter.
  expect(announce(path)).toEqual(first);
  await own.reconnect("own");
  expect(announce(path)).toEqual(first);
  await own.close();
});
