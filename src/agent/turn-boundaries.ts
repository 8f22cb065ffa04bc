/** The turn boundaries: where the pipeline is asked, and cuts are made. */

import { excess } from "../context/fit.ts";
import { clearPlan, nextPlan, summaryDue, summaryPlan } from "../context/pipeline.ts";
import type { Moment, Plan, MeterReading } from "../context/types.ts";
import type { ToolUseBlock } from "../protocol/block.ts";
import type { Command } from "../protocol/command.ts";
import type { Trigger } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { askToCompact } from "./compaction/ask.ts";
import { Declined } from "./compaction/declined.ts";
import { Warning } from "./compaction/warning.ts";
import type { Compactor } from "./compactor.ts";
import type { Session } from "./session.ts";
import type { ApprovalGate } from "./tool-calls.ts";

type Events<R = void> = AsyncGenerator<AgentEvent, R>;

export type TurnBoundaries = {
  /** After the user's message is in the log, before the first call: history may be rewritten. */
  turnStart(signal: AbortSignal, asking: Pick<ApprovalGate, "ask">): Events;
  /** Inside a tool loop: only when the next request would not fit. */
  beforeCall(signal: AbortSignal): Events;
  /** The model may have called the `compact` tool. */
  afterTools(calls: readonly ToolUseBlock[], signal: AbortSignal): Events;
  /** Does what the model asked for, and warns when a summary is near. */
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

const switchedOff =
  "Compaction is switched off, by the setting `compaction` or by DISABLE_COMPACT; only what no longer fits is cut.";

export function createTurnBoundaries(session: Session, compactor: Compactor): TurnBoundaries {
  /** What the model asked for by its `compact` tool, until a boundary comes. */
  let asked: { focus?: string } | null = null;
  const declined = new Declined();
  const warning = new Warning();
  /** The person said that summaries need not be asked about any more. */
  let trusted = false;

  async function* fire(
    moment: Moment,
    signal: AbortSignal,
    { trigger, asking }: { trigger?: Trigger; asking?: Pick<ApprovalGate, "ask"> } = {},
  ): Events {
    for (let cuts = 0; cuts < mostCuts && !signal.aborted; cuts++) {
      const { view, reading, policy, rules } = session;
      const own = nextPlan(moment, view, reading, policy, rules);
      const plan = own ?? (moment === "turnStart" ? toAskFor() : null);
      if (!plan) return;
      const forced = excess(reading, rules) > 0;
      const summarises = "summarise" in plan;
      if (summarises && !forced && declined.stands(reading)) return;
      if (own === null && asking && !(yield* mayCompact(plan, asking))) {
        declined.note(reading);
        return;
      }
      const occasion = { trigger: trigger ?? triggerOf(plan, reading), signal, forced };
      const made = yield* compactor.apply(plan, occasion);
      if (summarises && !made && !signal.aborted) declined.note(reading);
      if (session.reading.usedTokens >= reading.usedTokens) return;
    }
  }

  /** With `autoCompact: "ask"` the pipeline proposes no summary: the person decides on it. */
  function toAskFor(): Plan | null {
    const { view, reading, policy, rules } = session;
    return policy.autoCompact === "ask" ? summaryDue(view, reading, policy, rules) : null;
  }

  async function* mayCompact(plan: Plan, asking: Pick<ApprovalGate, "ask">): Events<boolean> {
    if (trusted) return true;
    const ask = askToCompact(plan, session);
    yield { type: "ask", ask };
    const answer = await asking.ask(ask);
    yield { type: "asked", id: ask.id };
    trusted = answer.allow && answer.scope === "session";
    return answer.allow;
  }

  async function* byHand(
    plan: Plan | null,
    trigger: Trigger,
    signal: AbortSignal,
    focus?: string,
  ): Events {
    const off = session.policy.compaction === "off";
    if (!plan || off) {
      const message = off ? switchedOff : "There is nothing to compact yet.";
      yield { type: "compaction", state: { step: "failed", message } };
      return;
    }
    yield* compactor.apply(plan, { trigger, signal, ...(focus ? { focus } : {}) });
  }

  const planned = (range?: { from?: string; to?: string }): Plan | null =>
    summaryPlan(session.view, session.reading, session.policy, session.rules, range);

  return {
    async *turnStart(signal, asking) {
      yield* fire("turnStart", signal, { asking });
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
      yield* byHand(planned(), "model", signal, focus);
    },
    async *turnEnd(signal) {
      if (asked && !signal.aborted) {
        const { focus } = asked;
        asked = null;
        yield* byHand(planned(), "model", signal, focus);
      }
      asked = null;
      const text = warning.of(session.reading, session.policy);
      if (text !== null) yield await session.record({ type: "note", kind: "warning", text });
    },
    async *tooLong(sizes, signal) {
      const { reading, rules } = session;
      const limit = sizes && sizes.limit > 0 ? sizes.limit : rules.windowTokens;
      if (limit < rules.windowTokens) session.rules = { ...rules, windowTokens: limit };
      // The server's count stands against ours: the meter agrees with it before it is asked again.
      const told = sizes && sizes.tokens > limit ? sizes.tokens : 0;
      const tokens = Math.max(told || reading.usedTokens, limit + 1);
      yield await session.record({ type: "count", tokens });
      const before = session.reading.usedTokens;
      yield* fire("beforeCall", signal, { trigger: "too-long" });
      return session.reading.usedTokens < before;
    },
    async *compact({ how, trigger, focus }, signal) {
      const { view, reading, policy, rules } = session;
      const plan = how === "clear" ? clearPlan(view, reading, policy, rules) : planned();
      yield* byHand(plan, trigger, signal, focus);
    },
    async *summarise({ from, to, focus }, signal) {
      const range = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
      yield* byHand(planned(range), "inspector", signal, focus);
    },
    review: (id, text) => compactor.review(id, text),
  };
}

const triggerOf = ({ tier }: Plan, { cache }: MeterReading): Trigger =>
  tier === "microcompact" && cache.state !== "hot" ? "idle" : "auto";
