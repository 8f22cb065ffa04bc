/**
 * Long sessions with bound thinking against the strict fake: nothing is refused, whatever is
 * compacted.
 */

import { bareRules } from "../../bare-rules.ts";
import { expect, test } from "bun:test";
import type { EntryOf } from "../../../src/protocol/entry.ts";
import type { Policy } from "../../../src/protocol/policy.ts";
import { call, FakeApi, say, think, type Responder } from "../../fake-api/index.ts";
import { fakeAgent } from "../fake-agent.ts";
import { prompt } from "../harness.ts";
import type { MemoryLog } from "../memory-log.ts";
import { ScriptedToolbox } from "../scripted.ts";
import { goodSummary } from "./harness.ts";

const windowTokens = 16_000;
const long = "every line of this file says something else ".repeat(140);

/** Makes `calls` tool calls in each turn, then ends it; writes a summary when asked for one. */
function worker(calls: number): Responder {
  let done = 0;
  return ({ messages, compaction }) => {
    const last = JSON.stringify(messages.at(-1)?.content ?? "");
    if (compaction != null)
      return say("1. Intent: go on.\n2. Decisions: none so far.\n8. Next step: go on.");
    if (last.includes("<analysis>")) return say(goodSummary());
    if (done === calls) {
      done = 0;
      return { content: [think("enough"), { type: "text", text: "That is all." }] };
    }
    return { content: [think(`step ${done}`), call("read_it", { n: done++ })] };
  };
}

async function live(calls: number, turns: number, policy: Partial<Policy>, byHand = false) {
  const fake = new FakeApi({ responder: worker(calls), model: { windowTokens } });
  const { log, events, send, end } = await fakeAgent({
    api: fake,
    policy: { reserveTokens: 4_000, ...policy },
    rules: { windowTokens },
    toolbox: new ScriptedToolbox(() => Promise.resolve(long)),
    tools: ["read_it"],
  });
  for (let turn = 0; turn < turns; turn++) {
    await send(prompt(`prompt ${turn}`));
    if (byHand && turn > 0) await send({ type: "compact", how: "summarize", trigger: "key" });
  }
  await end();
  const cuts = log.path.filter((entry): entry is EntryOf<"cut"> => entry.type === "cut");
  return { fake, log, events, cuts };
}

const dropped = (log: MemoryLog): number =>
  log.path.reduce(
    (sum, entry) => sum + (entry.type === "assistant" ? (entry.droppedThinking ?? 0) : 0),
    0,
  );

test.each<[string, number, number, Partial<Policy>, by: "server" | "model" | null]>([
  ["the server, at turns", 2, 12, { engine: "server", keepResults: 40 }, "server"],
  ["the client, at turns", 2, 12, { engine: "client", keepResults: 40 }, "model"],
  ["the server, in a long loop", 24, 1, { engine: "server", keepResults: 40 }, "server"],
  ["the client, in a long loop", 24, 1, { engine: "client", keepResults: 40 }, "model"],
  ["by the bare thresholds", 3, 10, { engine: "auto", ...bareRules }, "server"],
  ["the server, by hand after every turn", 1, 6, { engine: "server" }, null],
  ["the client, by hand after every turn", 1, 6, { engine: "client" }, null],
])("%s", async (_, calls, turns, policy, by) => {
  const { fake, log, events, cuts } = await live(calls, turns, policy, by === null);
  expect(fake.refusals).toEqual([]);
  expect(fake.failures).toEqual([]);
  const ends = events.flatMap((event) => (event.type === "idle" ? [event.why] : []));
  // A summary by hand, after every turn but the first, ends like a turn.
  expect(ends).toEqual(Array.from({ length: by ? turns : 2 * turns - 1 }, () => "done"));
  const summaries = cuts.filter(({ tier }) => tier === "summary");
  expect(summaries.length).toBeGreaterThan(by ? 0 : 2);
  if (by) for (const { summary } of summaries) expect(summary?.by).toBe(by);
  // Only a cut that the window forces in an open loop may drop thinking.
  const forced = cuts.some(({ midLoop, summary }) => midLoop && summary?.by !== "server");
  if (!forced || !by) expect(dropped(log)).toBe(0);
  if (calls > 20) expect(cuts.every(({ midLoop }) => midLoop)).toBe(true);
});

test("after the server's summary, a cut in a loop of calls leaves nothing invalid", async () => {
  const { fake, log, cuts } = await live(15, 12, { engine: "server", ...bareRules });
  expect(fake.refusals).toEqual([]);
  // What a cut removed is told at turns, not between results and their answer.
  const told = log.path.filter(
    ({ type }, at) => type === "context" && log.path[at - 1]?.type === "cut",
  );
  for (const { parent } of told) expect(log.get(parent ?? "")).not.toHaveProperty("midLoop");
  expect(cuts.some(({ summary }) => summary?.by === "server")).toBe(true);
  expect(cuts.some(({ midLoop, summary }) => midLoop && !summary)).toBe(true);
});
