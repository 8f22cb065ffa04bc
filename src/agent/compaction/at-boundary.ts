/**
 * Compaction at the boundaries of a turn, as the agent's own hook: asks the ladder (in `context`) what to cut and
 * carries it out. The hooks of the project come first, then the user's, then these.
 */

import { excess } from "../../context/rules/window.ts";
import { clearPlan, nextPlan, summaryPlan, whyNoSummary } from "../../context/ladder.ts";
import { asksFirst } from "../../context/summary/when.ts";
import { canRecall } from "../../context/view/rows.ts";
import type { MeterReading, Moment, Plan, SummaryRange } from "../../context/types.ts";
import type { HookInputs } from "../../extensions/hooks/output.ts";
import type { HookRegistry } from "../../extensions/hooks/registry.ts";
import type { Boundary } from "../hooks.ts";
import type { AgentCommand } from "../../protocol/command.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import type { Trigger } from "../../protocol/entry.ts";
import type { Ask, Events } from "../../protocol/event.ts";
import { counted } from "../../base/format.ts";
import { askUser, type ApprovalGate } from "../approvals.ts";
import { applyChanges, type Occasion } from "./apply-cut.ts";
import { BackgroundSummary } from "./background.ts";
import { applySummary, type CompactionParts } from "./apply-summary.ts";
import { attemptFact } from "./summarizer.ts";
import type { Session } from "../session.ts";
import type { CallError } from "../call.ts";

type CompactionCommand<T extends AgentCommand["type"]> = Extract<AgentCommand, { type: T }>;

export type TurnBoundaries = ReturnType<typeof createTurnBoundaries>;

/** Options of a summary by hand. */
type Wishes = { focus?: string | undefined };

/** Safety limit for one boundary; the ladder ends by itself. */
const maxCuts = 40;

const switchedOff =
  "Compaction is off (the setting `compaction`, or DISABLE_COMPACT). Only content that no longer fits is removed.";

/** `prepares`: there may be a next message, so that a summary can be written for it beforehand. */
export function createTurnBoundaries(options: CompactionParts & { prepares?: boolean }) {
  const { session, prepares = false } = options;
  const background = new BackgroundSummary(options);
  /** A call of the `Compact` tool that waits for the turn to end. */
  let requested: { focus?: string } | null = null;
  /** The user allowed all summaries of this session. */
  let allowed = false;

  async function* applyPlans(
    moment: Moment,
    signal: AbortSignal,
    { trigger, approvals }: { trigger?: Trigger; approvals?: Pick<ApprovalGate, "ask"> } = {},
  ): Events {
    for (let cuts = 0; cuts < maxCuts && !signal.aborted; cuts++) {
      const { signals } = session;
      const { reading, rules } = signals;
      const plan = nextPlan(moment, signals);
      if (!plan) return;
      const forced = excess(reading, rules) > 0;
      if ("summarize" in plan && background.isRunning) {
        // It is used at a later boundary, unless the request cannot be sent without it.
        if (!forced) return;
        yield { type: "phase", phase: "compacting" };
        yield* recordWhenReady(signal);
        continue;
      }
      const asks = asksFirst(plan, session.policy) && !forced;
      if (asks && approvals && !(yield* isAllowed(plan, approvals, signal))) continue;
      const occasion = { trigger: trigger ?? chooseTrigger(plan, reading), signal, forced };
      const isApplied = yield* make(plan, occasion);
      if (session.reading.usedTokens >= reading.usedTokens) return;
      // In an open loop it would come between results and their answer.
      if (isApplied && moment === "turnStart" && "changes" in plan)
        yield await session.record(
          contextFact("reminder", "what this cut removed", tellModel(plan, session)),
        );
    }
  }

  /** Returns true when the cut is in the log. */
  const make = (plan: Plan, occasion: Occasion): Events<boolean> =>
    "summarize" in plan
      ? applySummary(options, plan, occasion)
      : applyChanges(options, plan, occasion);

  async function* isAllowed(
    plan: Plan,
    approvals: Pick<ApprovalGate, "ask">,
    signal: AbortSignal,
  ): Events<boolean> {
    if (allowed) return true;
    const ask = askToSummarize(plan, session);
    const answer = yield* askUser(approvals, ask);
    allowed = answer.allow && answer.scope === "session";
    if (answer.allow || signal.aborted) return answer.allow;
    const reason = answer.reason ?? ask.title;
    const attempt = { outcome: "declined", by: null, trigger: "auto", reason } as const;
    yield await session.record(attemptFact(session, attempt));
    return false;
  }

  async function* applyByHand(
    plan: Plan | string,
    trigger: Trigger,
    signal: AbortSignal,
    wishes: Wishes = {},
  ): Events {
    const wanted = session.policy.compaction === "off" ? switchedOff : plan;
    if (typeof wanted === "string") {
      const message = wanted;
      yield { type: "compaction", state: { step: "failed", message } };
      return;
    }
    yield* make(wanted, { trigger, signal, ...wishes });
  }

  /** Waits for a summary that is being written in the background, unless another kind was asked for. */
  async function* summarizeByHand(
    trigger: Trigger,
    signal: AbortSignal,
    wishes: Wishes = {},
    range?: SummaryRange,
  ): Events {
    const skipReady = Boolean(wishes.focus);
    if (skipReady || range) yield* background.stop();
    else if (background.isRunning) {
      yield { type: "phase", phase: "compacting" };
      yield* recordWhenReady(signal);
    }
    const { signals } = session;
    const plan = summaryPlan(signals, range, { skipReady }) ?? whyNoSummary(signals, range);
    yield* applyByHand(plan, trigger, signal, wishes);
  }

  async function* recordWhenReady(signal: AbortSignal): Events {
    await background.finished(signal);
    if (!signal.aborted) yield* background.record();
  }

  return {
    /** After the user's message is in the log, before the first call: history may be rewritten. */
    async *turnStart(signal: AbortSignal, approvals: Pick<ApprovalGate, "ask">): Events {
      yield* background.record();
      yield* applyPlans("turnStart", signal, { approvals });
    },
    /** Inside a tool loop: cuts only when the next request would not fit. */
    async *beforeCall(signal: AbortSignal): Events {
      yield* background.record();
      yield* applyPlans("beforeCall", signal);
      if (prepares && !signal.aborted) yield* background.begin("loop");
    },
    /** The model may have called the `Compact` tool. */
    async *afterTools(calls: HookInputs["AfterTools"]["tool_calls"], signal: AbortSignal): Events {
      const call = calls.findLast(({ tool_name }) => tool_name === "Compact");
      if (!call) return;
      const { focus: asked } = call.tool_input;
      const focus = typeof asked === "string" ? asked : undefined;
      // Bound thinking must survive until the loop ends.
      const waits = session.rules.thinking === "bound";
      requested = waits ? (focus === undefined ? {} : { focus }) : null;
      if (!waits) yield* summarizeByHand("model", signal, { focus });
    },
    /** Compacts if the model asked for it. */
    async *turnEnd(signal: AbortSignal): Events {
      if (requested && !signal.aborted) yield* summarizeByHand("model", signal, requested);
      requested = null;
    },
    /**
     * The agent waits for the user: the next summary is written if it is near. Until the signal fires,
     * what was written is recorded at once, and after that at the next boundary.
     */
    async *idle(signal: AbortSignal): Events {
      if (prepares) yield* background.begin("message");
      yield* recordWhenReady(signal);
    },
    /** Waits for the background summary and records it, unless the signal fires first. */
    recordWhenReady,
    /** Aborts the background summary and records its cost. */
    close: (): Events => background.stop(),
    /** The server said that the prompt is too long. Returns true if space was freed. */
    async *tooLong(sizes: CallError["sizes"], signal: AbortSignal): Events<boolean> {
      const { reading, rules } = session;
      const limit = sizes && sizes.limit > 0 ? sizes.limit : rules.windowTokens;
      // Trust the server's count over the estimate, so that the meter agrees before the next attempt.
      const counted = sizes && sizes.tokens > 0 ? sizes.tokens : null;
      const promptFits = counted !== null && counted <= limit;
      const tokens = promptFits ? counted : Math.max(counted ?? reading.usedTokens, limit + 1);
      const { knownWindow } = session;
      yield await session.record({ type: "count", tokens, windowTokens: limit, knownWindow });
      // Only the room asked for the answer was too large: the next request asks for less.
      if (promptFits && excess(session.reading, session.rules) <= 0) return true;
      const before = session.reading.usedTokens;
      yield* applyPlans("beforeCall", signal, { trigger: "too-long" });
      return session.reading.usedTokens < before;
    },
    async *compact(command: CompactionCommand<"compact">, signal: AbortSignal): Events {
      const { how, trigger } = command;
      const nothing = "Nothing to clear: the newest results, pinned and restored ones stay.";
      if (how === "clear")
        yield* applyByHand(clearPlan(session.signals) ?? nothing, trigger, signal);
      else yield* summarizeByHand(trigger, signal, command);
    },
    async *summarize(
      { from, to, focus }: CompactionCommand<"summarize">,
      signal: AbortSignal,
    ): Events {
      yield* summarizeByHand("inspector", signal, { focus }, { from, to });
    },
  };
}

/** The model's own view of its budget, appended where a cut was made. */
function tellModel({ action }: Plan, { view, reading }: Session): string {
  const { usedTokens, effectiveTokens } = reading;
  const number = (tokens: number): string => Math.round(tokens).toLocaleString("en");
  const hint = canRecall(view) ? " Each place says how to get it back." : "";
  return `Your context holds about ${number(usedTokens)} of ${number(effectiveTokens)} tokens. The program made room: ${action}.${hint}`;
}

const chooseTrigger = ({ tier }: Plan, { cache }: MeterReading): Trigger =>
  tier !== "summary" && cache.state === "cold" ? "idle" : "auto";

/** The question before an automatic summary, with its expected effect. */
function askToSummarize({ price }: Plan, { reading, log }: Session): Ask {
  const tokens = (count: number): string => Math.round(count).toLocaleString("en-US");
  const { usedBefore, usedAfter, usd, breakEvenCalls } = price;
  const payback =
    breakEvenCalls === null
      ? "never pays off"
      : `pays off after ${counted(breakEvenCalls, "call")}`;
  return {
    id: `compact-${log.path.length}`,
    toolUse: "",
    tool: "Compact",
    title: `Summarize the conversation? The context is ${Math.round(reading.utilization * 100)} % full`,
    detail: [
      `About ${tokens(usedBefore)} tokens become about ${tokens(usedAfter)}. Costs about $${usd.toFixed(2)}, ${payback}.`,
      "Without a summary the conversation continues unchanged until the next request would not fit.",
    ].join("\n"),
    detailKind: "text",
    rule: "summarize automatically",
  };
}

/** Registers compaction at the boundaries. Returns a function that removes it. */
export function registerCompaction(
  hooks: HookRegistry,
  boundaries: TurnBoundaries,
  approvals: ApprovalGate,
): () => void {
  const own = <B extends Boundary>(
    boundary: B,
    name: string,
    work: (input: HookInputs[B], signal: AbortSignal) => Events,
  ): (() => void) =>
    hooks.register(
      boundary,
      undefined,
      async function* (input, { signal, refusal }) {
        // A turn that another hook ends cuts nothing.
        if (refusal === null) yield* work(input, signal);
        return {};
      },
      boundary === "TurnStart"
        ? { source: "built-in", name, tiers: ["budget", "snip", "microcompact", "summary"] }
        : { source: "built-in", name },
    );
  const registered = [
    own("TurnStart", "compact", (_, signal) => boundaries.turnStart(signal, approvals)),
    own("BeforeCall", "fit the window", (_, signal) => boundaries.beforeCall(signal)),
    own("AfterTools", "the Compact tool", ({ tool_calls }, signal) =>
      boundaries.afterTools(tool_calls, signal),
    ),
    own("TurnEnd", "the Compact tool", (_, signal) => boundaries.turnEnd(signal)),
  ];
  return () => registered.forEach((remove) => remove());
}
