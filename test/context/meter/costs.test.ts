import { expect, test } from "bun:test";
import { costsBySource } from "../../../src/context/meter/costs.ts";
import type { AssistantBlock } from "../../../src/protocol/block.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import { noUsage } from "../../../src/protocol/model.ts";

const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };
const rules = { prices, charsPerToken: { prose: 4, code: 4, result: 4 } };

const makePath = (facts: Fact[]): Entry[] =>
  facts.map((fact, index) => {
    return { ...fact, id: `e${index}`, parent: null, at: "2026-01-01T00:00:00.000Z" };
  });
const uses = (name: string, id: string, input: object): AssistantBlock => {
  return { type: "tool_use", id, name, input: { ...input } };
};
const answer = (...content: AssistantBlock[]): Fact => ({
  type: "assistant",
  content,
  model: "m",
  usage: noUsage,
  stop: "tool_use",
  sentAt: "2026-01-01T00:00:00.000Z",
});
const result = (
  tool: string,
  toolUse: string,
  chars: number,
): Extract<Fact, { type: "result" }> => ({
  type: "result",
  tool,
  toolUse,
  content: [{ type: "text", text: "x".repeat(chars) }],
  bytes: chars,
  lines: 1,
});
const run = { session: "s", type: "Explore", calls: 3, model: "m", usage: noUsage };

test("costs are those of subagents, servers and skills, the dearest first", () => {
  const path = makePath([
    answer(
      uses("mcp__docs__search", "a", {}),
      uses("Skill", "b", { skill: "deploy" }),
      uses("Agent", "c", {}),
      uses("ReadMcpResource", "r", { server: "small", uri: "x:y" }),
    ),
    result("mcp__docs__search", "a", 4_000_000),
    result("Skill", "b", 400),
    { ...result("Agent", "c", 40), subagent: { ...run, usd: 0.5 } },
    result("ReadMcpResource", "r", 40),
    answer(uses("mcp__small__x", "d", {})),
    result("mcp__small__x", "d", 40),
    result("Read", "e", 4_000),
    answer(),
  ]);
  const { subagents, mcp_servers, skills } = costsBySource(path, rules);
  expect(subagents).toEqual([
    { name: "Explore", calls: 1, tokens: 10, usd: 0.5, is_estimate: false },
  ]);
  // A million tokens, written by one call and read by the next.
  expect(mcp_servers).toMatchObject([
    { name: "docs", calls: 1, tokens: 1_000_000, usd: 2.7 },
    { name: "small", calls: 2, tokens: 20, is_estimate: true },
  ]);
  expect(skills).toMatchObject([{ name: "deploy", calls: 1, tokens: 100 }]);
});
