/**
 * A law: after any cut in an open tool loop, on servers that drop stale thinking and on servers that
 * refuse it, the next requests are accepted, and only the first of them writes the cache again.
 */

import { expect, test } from "bun:test";
import { clearPlan, nextPlan, summaryPlan } from "../../src/context/ladder.ts";
import type { Plan, Signals } from "../context/types.ts";
import type { Change, Span } from "../../src/protocol/entry.ts";
import { noPrice } from "../context/build.ts";
import { call, FakeApi, say, think } from "../fake-api/index.ts";
import fc from "../properties.ts";
import { fakeAgent, type FakeAgentOptions } from "./fake-agent.ts";
import { of, prompt } from "./harness.ts";
import { quietBoundaries } from "./quiet-boundaries.ts";
import { ScriptedToolbox } from "./scripted.ts";

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
function cutOf({ cut, from }: Step, signals: Signals): Change[] {
  const { view, reading, rules } = signals;
  const results = view.rows.filter(
    ({ entry, shown }) => entry.type === "result" && shown !== "covered",
  );
  switch (cut) {
    case "clear":
      return toChanges(clearPlan(signals));
    case "forced": {
      const full = { ...reading, usedTokens: rules.windowTokens };
      return toChanges(nextPlan("beforeCall", { ...signals, reading: full }));
    }
    case "trim": {
      const row = results[from % Math.max(1, results.length)];
      return row ? [{ kind: "replace", entry: row.entry.id, text: "[trimmed]" }] : [];
    }
    case "summary":
      return toChanges(summaryPlan(signals));
    case "range": {
      const row = view.rows[from % view.rows.length];
      return row ? toChanges(summaryPlan(signals, { from: row.entry.id })) : [];
    }
    default:
      return [];
  }
}

type Boundaries = NonNullable<NonNullable<FakeAgentOptions["agent"]>["boundaries"]>;

/** Cuts before each call of the second turn, as its step says; returns how often. */
async function checkLoop(steps: readonly Step[], betas: boolean): Promise<number> {
  let step: Step | undefined;
  let calls = 0;
  /** By call: whether a cut came before it. */
  const isCut: boolean[] = [];
  const api = new FakeApi({
    modelsApi: betas,
    responder: () => {
      const { thinks = true, calls: count = 0, words = 20 } = step ?? {};
      const said = say("w".repeat(Math.max(1, words))).content;
      const asked = Array.from({ length: count }, (_, n) => call("read", { path: `file-${n}` }));
      return { content: [...(thinks ? [think(`hm ${words}`)] : []), ...said, ...asked] };
    },
  });
  const boundaries: Boundaries = (session) => ({
    ...quietBoundaries,
    async *beforeCall() {
      const at = calls++ - 1;
      step = at < 0 ? undefined : steps[at];
      const mayCut = at > 0 && step !== undefined;
      const changes = mayCut && step ? cutOf(step, session.signals) : [];
      const last = session.view.cuts.at(-1);
      const undoes = mayCut && step?.cut === "undo" && last !== undefined;
      if (undoes) yield await session.record({ type: "restore", cut: last.id, price: noPrice });
      const cut = { tier: "manual", trigger: "inspector", reason: "r", changes } as const;
      if (changes.length > 0)
        yield await session.record({ type: "cut", ...cut, price: noPrice, midLoop: true });
      isCut.push(undoes || changes.length > 0);
    },
    async *afterTools() {
      if (step?.typed && step.from % 7 === 0)
        yield await session.record({
          type: "user",
          content: [{ type: "text", text: "And mind the tabs." }],
          midTurn: true,
        });
    },
  });
  const { log, send, end } = await fakeAgent({
    api,
    system: "Be good. ".repeat(600),
    tools: ["read", "Recall"],
    toolbox: new ScriptedToolbox(async () => "r".repeat(step?.chars ?? 0)),
    agent: { boundaries },
  });
  for (const words of ["First, look around.", "Use two spaces everywhere. Then read them all."])
    expect(await send(prompt(words))).toEqual({ type: "idle", why: "done" });
  await end();
  let sent = 0;
  for (const [at, { usage }] of of(log.path, "assistant").entries()) {
    if (at > 1 && !isCut[at]) expect(usage.cacheRead).toBeGreaterThanOrEqual(sent * 0.98);
    sent = usage.input + usage.cacheRead + usage.cacheWrite + (usage.cacheWrite1h ?? 0);
  }
  expect(api.refusals.filter((one) => one !== "Not Found")).toEqual([]);
  return isCut.filter(Boolean).length;
}

test.each([true, false])(
  "after a cut in an open loop the next requests are accepted and read the cache, betas %p",
  async (betas) => {
    let cuts = 0;
    const scripts = fc.array(aStep, { minLength: 2, maxLength: 24, size: "max" });
    await fc.assert(
      fc.asyncProperty(scripts, async (steps) => void (cuts += await checkLoop(steps, betas))),
      { numRuns: 24 },
    );
    expect(cuts).toBeGreaterThan(40);
  },
);
