/**
 * A law: after any cut in an open tool loop, on servers that drop stale thinking and on servers that
 * refuse it, the next requests are accepted, and only the first of them writes the cache again.
 */

import { expect, test } from "bun:test";
import { callModel } from "../../src/agent/call.ts";
import { endStaleLoop } from "../../src/agent/repair.ts";
import { Session } from "../../src/agent/session.ts";
import { clearPlan } from "../../src/context/ladder.ts";
import { buildRequest } from "../../src/context/request.ts";
import { spanBeforeExchange, spanWithin } from "../../src/context/summary/span.ts";
import { planForced } from "../../src/context/tiers/forced.ts";
import type { Plan } from "../../src/context/types.ts";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import type { Change, EntryOf, Span } from "../../src/protocol/entry.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { noPrice } from "../context/build.ts";
import { call, FakeApi, say, think } from "../fake-api/index.ts";
import { instantClock } from "../instant-clock.ts";
import fc from "../properties.ts";
import { MemoryLog } from "./memory-log.ts";

const name = "claude-sonnet-5-5";

const cutKinds = ["clear", "trim", "summary", "range", "forced", "undo"] as const;

const aStep = fc.record({
  cut: fc.option(fc.constantFrom(...cutKinds), { nil: null, freq: 5 }),
  from: fc.nat({ max: 99 }),
  thinks: fc.boolean(),
  calls: fc.integer({ min: 1, max: 3 }),
  chars: fc.constantFrom(20, 900, 6_000),
  words: fc.constantFrom(0, 300, 2_000),
  typed: fc.boolean(),
});
type Step = typeof aStep extends fc.Arbitrary<infer S> ? S : never;

const cover = (span: Span): Change => ({
  kind: "cover",
  span,
  text: "<summary>\nWhat happened so far.\n</summary>",
});

const toChanges = (plan: Plan | null): Change[] => {
  if (!plan) return [];
  return "changes" in plan ? plan.changes : [cover(plan.summarize)];
};

/** The changes of a cut of one kind, at the place that the step names; none: it has nothing to do. */
function cutOf({ cut, from }: Step, session: Session): Change[] {
  const { signals, view } = session;
  const results = view.rows.filter(
    ({ entry, shown }) => entry.type === "result" && shown !== "covered",
  );
  switch (cut) {
    case "clear":
      return toChanges(clearPlan(signals));
    case "forced":
      return toChanges(planForced(signals, 500));
    case "trim": {
      const row = results[from % Math.max(1, results.length)];
      return row ? [{ kind: "replace", entry: row.entry.id, text: "[trimmed]" }] : [];
    }
    case "summary": {
      const span = spanBeforeExchange(view);
      return span ? [cover(span)] : [];
    }
    case "range": {
      const row = view.rows[from % view.rows.length];
      const span = row && spanWithin(view, { from: row.entry.id });
      return span ? [cover(span)] : [];
    }
    default:
      return [];
  }
}

async function checkLoop(steps: readonly Step[], betas: boolean): Promise<void> {
  let next: Step | undefined;
  const fake = new FakeApi({
    responder: () => {
      const { thinks = true, calls = 0, words = 20 } = next ?? {};
      const said = say("w".repeat(Math.max(1, words))).content;
      const asked = Array.from({ length: calls }, (_, n) => call("Read", { path: `file-${n}` }));
      return { content: [...(thinks ? [think(`hm ${words}`)] : []), ...said, ...asked] };
    },
  });
  const client = createAnthropicClient({
    apiKey: "test",
    baseUrl: "http://fake",
    fetch: fake.fetch,
    clock: fake.clock,
  });
  const known = await client.rules(name);
  const rules = betas ? known : { ...known, refusesStaleThinking: true as const };
  const session = new Session(new MemoryLog(), defaultPolicy, rules, () => fake.clock.now());
  await session.append({
    type: "session",
    version: 1,
    session: "s",
    cwd: "/w",
    model: name,
    system: "Be good. ".repeat(600),
    tools: [
      { name: "Read", description: "Reads.", input_schema: { type: "object" } },
      { name: "Recall", description: "Opens.", input_schema: { type: "object" } },
    ],
  });
  const says = (text: string) =>
    session.append({ type: "user", content: [{ type: "text", text }] });
  await says("First, look around.");
  next = { ...steps[0], calls: 0 } as Step;
  const ask = async (): Promise<EntryOf<"assistant">> => {
    for await (const _ of endStaleLoop(session));
    const request = buildRequest(session.view, session.rules, session.policy);
    const attempts = {
      clock: instantClock(() => fake.clock.now()),
      signal: new AbortController().signal,
      of: 1,
      show: () => {},
    };
    const calling = callModel(session, client, request, attempts);
    let step = await calling.next();
    while (!step.done) step = await calling.next();
    if (step.value.is !== "answered")
      throw new Error(`Refused: ${JSON.stringify(step.value)}; ${fake.refusals.at(-1)}`);
    return step.value.entry;
  };
  await ask();
  await says("Use two spaces everywhere. Then read them all.");
  let sent = 0;
  let writes = 0;
  for (const step of steps) {
    next = step;
    let isCut = false;
    const changes = sent > 0 ? cutOf(step, session) : [];
    const last = session.view.cuts.at(-1);
    if (step.cut === "undo" && last && sent > 0) {
      await session.append({ type: "restore", cut: last.id, price: noPrice });
      isCut = true;
    } else if (changes.length > 0) {
      const cut = { tier: "manual", trigger: "inspector", reason: "r", changes } as const;
      await session.append({ type: "cut", ...cut, price: noPrice, midLoop: true });
      isCut = true;
    }
    const answer = await ask();
    const { usage } = answer;
    const total = usage.input + usage.cacheRead + usage.cacheWrite + (usage.cacheWrite1h ?? 0);
    if (sent > 0 && !isCut && usage.cacheRead < sent * 0.98) writes++;
    expect({ writes, at: session.log.path.length }).toMatchObject({ writes: 0 });
    sent = total;
    for (const block of answer.content)
      if (block.type === "tool_use")
        await session.append({
          type: "result",
          toolUse: block.id,
          tool: "Read",
          content: [{ type: "text", text: "r".repeat(step.chars) }],
          bytes: step.chars,
          lines: 1,
        });
    if (step.typed && step.from % 7 === 0)
      await session.append({
        type: "user",
        content: [{ type: "text", text: "And mind the tabs." }],
        midTurn: true,
      });
  }
  expect(fake.refusals).toEqual([]);
  expect(session.view.rejected).toEqual([]);
}

test.each([true, false])(
  "after a cut in an open loop the next requests are accepted and read the cache, betas %p",
  async (betas) => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 2, maxLength: 24, size: "max" }), (steps) =>
        checkLoop(steps, betas),
      ),
      { numRuns: 60 },
    );
  },
);
