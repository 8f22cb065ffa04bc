/** What the calls of a run used and cost, in its result. */

import { expect, spyOn, test } from "bun:test";
import type { Fact } from "../../../src/protocol/entry.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { answer, failedSummary, freeCut, makeReport } from "../../facts.ts";
import { done, entry, printed, prompt, rules } from "./printed.ts";

const beyond = { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 8 };
const prices = { ...rules.prices, beyond: { promptTokens: 1_000, ...beyond } };
const usage = { input: 600, cacheRead: 0, cacheWrite: 0, output: 100 };
const usd = (600 * 2 + 100 * 10) / 1e6;
/** After it was answered: the clock was set back. */
const sentAt = "2026-01-01T00:00:05.000Z";

const billed = async (...facts: Fact[]) =>
  (
    await printed("json", [...facts.map(entry), done], {
      rulesOf: async () => ({ ...rules, prices }),
    })
  ).result;

test("answers, interrupted answers and summaries are all billed, each call at its own price", async () => {
  const result = await billed(
    answer(usage, [], { sentAt }),
    answer(usage, [], { sentAt, stop: "failed" }),
    failedSummary(usage),
    freeCut({ summary: { by: "model", usage, turns: 1, instructionsPutBack: [], losses: [] } }),
  );
  expect(result).toMatchObject({
    usage: { input_tokens: 2_400, output_tokens: 400 },
    num_turns: 1,
    duration_api_ms: 0,
  });
  // Together they exceed the limit above which a prompt costs double; none of them does alone.
  expect(result["total_cost_usd"]).toBeCloseTo(4 * usd, 10);
});

test("what a subagent used is billed to its own model, other costs to the session's at that time", async () => {
  const subagent = { session: "s2", type: "Explore", model: "small", calls: 1, usage, usd: 1 };
  const { modelUsage, total_cost_usd: total } = await billed(
    makeReport({ subagent }),
    failedSummary(usage),
    { type: "model", model: "n" },
    failedSummary(usage),
    failedSummary(usage),
  );
  expect(modelUsage).toMatchObject({
    small: { inputTokens: 600, costUSD: usd },
    m: { inputTokens: 600 },
    n: { inputTokens: 1_200 },
  });
  expect(total).toBeCloseTo(4 * usd, 10);
});

test("tokens written for an hour are counted apart from those written for five minutes", async () => {
  const used = { input: 1, cacheRead: 20, cacheWrite: 300, cacheWrite1h: 100, output: 4_000 };
  expect((await billed(answer({ ...used, webSearches: 5 }))).usage).toEqual({
    input_tokens: 1,
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 20,
    output_tokens: 4_000,
    server_tool_use: { web_search_requests: 5, web_fetch_requests: 0 },
    service_tier: "standard",
    cache_creation: { ephemeral_1h_input_tokens: 100, ephemeral_5m_input_tokens: 200 },
  });
  const { cacheWrite1h: _, ...plain } = used;
  expect((await billed(answer(plain))).usage).toMatchObject({
    server_tool_use: { web_search_requests: 0 },
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 300 },
  });
});

const words = (text: string, when: string): AgentEvent =>
  entry(answer(usage, [{ type: "text", text }], { sentAt: when }));

test("each turn has its own answer and times; an unknown time counts as zero", async () => {
  let nowMs = 0;
  const clock = spyOn(performance, "now").mockImplementation(() => (nowMs += 700));
  const events = [
    words(" One. ", "2025-12-31T23:59:58.000Z"),
    words(" \n", "2026-01-01T00:00:00.500Z"),
    words("", "before"),
    done,
    done,
  ];
  const { messages } = await printed("stream-json", events, { commands: [prompt, prompt] });
  clock.mockRestore();
  expect(messages.filter(({ type }) => type === "result")).toMatchObject([
    { result: "One.", num_turns: 3, duration_ms: 700, duration_api_ms: 5_500 },
    { result: "", num_turns: 0, duration_ms: 700, duration_api_ms: 0, stop_reason: null },
  ]);
});

test("an answer in a form counts once it was accepted, and only in its turn", async () => {
  const call = { type: "tool_use", id: "t", name: "StructuredOutput", input: { n: 1 } } as const;
  const form = answer(usage, [call], { stop: "tool_use" });
  const accepted = makeReport({ tool: "StructuredOutput" });
  expect(
    await billed(form, { ...accepted, isError: true }, { ...accepted, tool: "Read" }),
  ).not.toHaveProperty("structured_output");
  const events = [entry(form), entry(accepted), done, done];
  const { messages } = await printed("stream-json", events, { commands: [prompt, prompt] });
  const forms = messages.flatMap((message) =>
    message["type"] === "result" ? [message["structured_output"] ?? null] : [],
  );
  expect(forms).toEqual([{ n: 1 }, null]);
});
