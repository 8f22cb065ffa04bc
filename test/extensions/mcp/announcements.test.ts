/** What the model is told about servers, and when it is told again. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import { freeCut, makePath, sessionWith } from "../../facts.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, setup } from "./open-hub.ts";

const hub = openHub([setup("small", { type: "sdk" })]);
beforeAll(() => hub.connect("small", memoryTransport()));
afterAll(() => hub.close());

test("names and instructions are sent once", () => {
  const news = hub.announcements(makePath(sessionWith()));
  const text = blockText(news.flatMap(({ content }) => content));
  expect(text).toContain("Its own description: Use it sparingly.");
  expect(text).toContain("mcp__small__echo");
  expect(text).toContain("ReadMcpResource");
  expect(hub.announcements(makePath(sessionWith(), ...news))).toEqual([]);
});

test("tools whose definitions are sent are not named", () => {
  const names = hub.tools().map(({ name }) => name);
  const text = blockText(
    hub.announcements(makePath(sessionWith(...names))).flatMap(({ content }) => content),
  );
  expect(text).toBe("Its own description: Use it sparingly.");
});

test("after a summary, which removes loaded tools, they are sent again", () => {
  const news = hub.announcements(makePath(sessionWith()));
  const span = { from: "e2", to: "e2" };
  const summary = freeCut({ changes: [{ kind: "cover", span, text: "What happened." }] });
  const path = makePath(sessionWith(), ...news, summary);
  expect(hub.announcements(path)).toEqual(news);
});

test("of many names the first 2,000 characters are told", async () => {
  const many = openHub([setup("many", { type: "sdk" })]);
  await many.connect("many", memoryTransport());
  const [server] = many.servers;
  const [tool] = server?.lists.tools ?? [];
  if (!server || !tool) throw new Error("No tools.");
  const tools = Array.from({ length: 300 }, () => tool);
  server.lists = { ...server.lists, tools, instructions: "" };
  const [fact] = many.announcements(makePath(sessionWith()));
  expect(blockText(fact?.content ?? [])).toHaveLength(
    "ToolSearch loads these tools: ".length + 2_000,
  );
  await many.close();
});
