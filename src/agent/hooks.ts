/** The turn boundaries: where the pipeline is asked, and cuts are made. */

import { clearPlan, nextPlan, summaryPlan } from "../context/pipeline.ts";
import type { Moment, Plan } from "../context/types.ts";
import type { ToolUseBlock } from "../protocol/block.ts";
import type { Command } from "../protocol/command.ts";
import type { Trigger } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Compactor } from "./compactor.ts";
import type { Session } from "./session.ts";

type Events<R = void> = AsyncGenerator<AgentEvent, R>;

export type Hooks = {
  /** After the user's message is in the log, before the first call: history may be rewritten. */
  turnStart(signal: AbortSignal): Events;
  /** Inside a tool loop: only when the next request would not fit. */
  beforeCall(signal: AbortSignal): Events;
  /** The model may have called the `compact` tool. */
  afterTools(calls: readonly ToolUseBlock[], signal: AbortSignal): Events;
  turnEnd(signal: AbortSignal): Events;
  /** The server said that the prompt is too long; true: something went, try again. */
  tooLong(
    sizes: { tokens: number; limit: number } | undefined,
    signal: AbortSignal,
  ): Events<boolean>;
  compact(command: Extract<Command, { type: "compact" }>, signal: AbortSignal): Events;
  summarise(command: Extract<Command, { type: "summarise" }>, signal: AbortSignal): Events;
  /** The person's word on a summary that waits for it; null: do not compact. */
  review(id: string, text: string | null): void;
};

/** Cuts at one boundary. The pipeline ends by itself; this is a net below it. */
const mostCuts = 40;

export function createHooks(session: Session, compactor: Compactor): Hooks {
  /** What the model asked for by its `compact` tool, until a boundary comes. */
  let asked: { focus?: string } | null = null;

  async function* fire(moment: Moment, signal: AbortSignal): Events {
    for (let cuts = 0; cuts < mostCuts && !signal.aborted; cuts++) {
      const { view, reading, policy, rules } = session;
      const plan = nextPlan(moment, view, reading, policy, rules);
      if (!plan) return;
      const before = reading.usedTokens;
      yield* compactor.apply(plan, { trigger: triggerOf(plan), signal });
      if (session.reading.usedTokens >= before) return;
    }
  }

  async function* summarise(
    plan: Plan | null,
    trigger: Trigger,
    signal: AbortSignal,
    focus?: string,
  ): Events {
    if (!plan) {
      yield {
        type: "compaction",
        state: { step: "failed", message: "There is nothing to compact yet." },
      };
      return;
    }
    yield* compactor.apply(plan, { trigger, signal, ...(focus ? { focus } : {}) });
  }

  const planned = (range?: { from?: string; to?: string }): Plan | null =>
    summaryPlan(session.view, session.reading, session.policy, session.rules, range);

  return {
    async *turnStart(signal) {
      yield* fire("turnStart", signal);
    },
    async *beforeCall(signal) {
      yield* fire("beforeCall", signal);
    },
    async *afterTools(calls, signal) {
      const call = calls.findLast(({ name }) => name === "compact");
      if (!call) return;
      const focus = typeof call.input["focus"] === "string" ? call.input["focus"] : undefined;
      asked = focus === undefined ? {} : { focus };
      // Thinking that is bound to its prefix must live to the end of the loop.
      if (session.rules.thinking === "bound") return;
      asked = null;
      yield* summarise(planned(), "model", signal, focus);
    },
    async *turnEnd(signal) {
      if (!asked) return;
      const { focus } = asked;
      asked = null;
      yield* summarise(planned(), "model", signal, focus);
    },
    async *tooLong(sizes, signal) {
      const { view, reading, policy } = session;
      const limit = sizes?.limit ?? session.rules.windowTokens;
      // The server's count stands against ours: make the meter agree before it is asked again.
      const tokens = sizes?.tokens ?? Math.max(reading.usedTokens, limit + 1);
      if (sizes && sizes.limit < session.rules.windowTokens) {
        session.rules = { ...session.rules, windowTokens: sizes.limit };
      }
      yield await session.record({ type: "count", tokens });
      const entries = view.cuts.length;
      const plan = nextPlan("beforeCall", session.view, session.reading, policy, session.rules);
      if (plan) yield* compactor.apply(plan, { trigger: "too-long", signal });
      yield* fire("beforeCall", signal);
      return session.view.cuts.length > entries;
    },
    async *compact({ how, trigger, focus }, signal) {
      const { view, reading, policy, rules } = session;
      const plan = how === "clear" ? clearPlan(view, reading, policy, rules) : planned();
      yield* summarise(plan, trigger, signal, focus);
    },
    async *summarise({ from, to, focus }, signal) {
      const range = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
      yield* summarise(planned(range), "inspector", signal, focus);
    },
    review: (id, text) => compactor.review(id, text),
  };
}

const triggerOf = (plan: Plan): Trigger => (plan.tier === "microcompact" ? "idle" : "auto");
