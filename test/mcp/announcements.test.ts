/** What the model is told about servers, and when it is told again. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { textOf } from "../../src/protocol/block.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, setup } from "./open-hub.ts";

const hub = openHub([setup("small", { type: "sdk" })]);
beforeAll(() => hub.connect("small", memoryTransport()));
afterAll(() => hub.close());

const pathOf = (...facts: Fact[]): Entry[] =>
  facts.map((fact, index) => ({
    id: `e${index + 1}`,
    parent: index === 0 ? null : `e${index}`,
    at: "2026-11-20T00:00:00Z",
    ...fact,
  }));

const session = (...names: string[]): Fact => ({
  type: "session",
  version: 1,
  session: "s",
  cwd: "/w",
  model: "m",
  system: "",
  tools: names.map((name) => ({ name, description: "", input_schema: { type: "object" } })),
});

const summary = (from: string, to: string): Fact => ({
  type: "cut",
  tier: "summary",
  trigger: "key",
  reason: "a test",
  changes: [{ kind: "cover", span: { from, to }, text: "What happened." }],
  price: { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null },
});

test("names and instructions are sent once", () => {
  const news = hub.announcements(pathOf(session()));
  const text = textOf(news.flatMap(({ content }) => content));
  expect(text).toContain("It says about itself: Use it sparingly.");
  expect(text).toContain("mcp__small__echo");
  expect(text).toContain("ReadMcpResource");
  expect(hub.announcements(pathOf(session(), ...news))).toEqual([]);
});

test("tools whose definitions are sent are not named", () => {
  const names = hub.tools().map(({ name }) => name);
  const text = textOf(
    hub.announcements(pathOf(session(...names))).flatMap(({ content }) => content),
  );
  expect(text).toBe("It says about itself: Use it sparingly.");
});

test("after a summary, which takes loaded tools with it, they are sent again", () => {
  const news = hub.announcements(pathOf(session()));
  const path = pathOf(session(), ...news, summary("e2", "e2"));
  expect(hub.announcements(path)).toEqual(news);
});
