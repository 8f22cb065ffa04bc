/** Which definitions of MCP tools a session begins with. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { firstTools } from "../../src/cli/open-mcp.ts";
import { rulesOf } from "../../src/model/catalog.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { memoryTransport } from "../mcp/memory-transport.ts";
import { openHub, setup } from "../mcp/open-hub.ts";

const hub = openHub([setup("small", { type: "sdk" })]);
beforeAll(() => hub.connect("small", memoryTransport()));
afterAll(() => hub.close());

const rules = rulesOf("claude-sonnet-5-5");

const sessionWith = (...names: string[]): Entry[] => [
  {
    id: "e1",
    parent: null,
    at: "2026-11-20T00:00:00Z",
    type: "session",
    version: 1,
    session: "s",
    cwd: "/w",
    model: "m",
    system: "",
    tools: names.map((name) => ({ name, description: "", input_schema: { type: "object" } })),
  },
];

const namesIn = async (path: Entry[], mcpToolShare = 0.1): Promise<string[]> =>
  (await firstTools(hub, path, { mcpToolShare }, rules)).map(({ name }) => name);

test("a new session begins with all of them, or with none where they are long", async () => {
  expect(await namesIn([])).toContain("mcp__small__echo");
  expect(await namesIn([], 0)).toEqual([]);
});

test("a resumed session keeps those that it began with", async () => {
  expect(await namesIn(sessionWith("Read", "ToolSearch"))).toEqual([]);
  const began = sessionWith("Read", "ToolSearch", "mcp__small__echo");
  expect(await namesIn(began, 0)).toEqual(["mcp__small__echo"]);
});

test("one that began without servers gets what a new one gets", async () => {
  expect(await namesIn(sessionWith("Read"))).toContain("mcp__small__echo");
});

test("without servers there are none", async () => {
  expect(await firstTools(null, [], { mcpToolShare: 1 }, rules)).toEqual([]);
});
