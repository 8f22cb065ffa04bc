/** Makes a cut: the hooks around it, and its entry in the log. */

import { attemptUsd, callsToPayBack, priceChanges } from "../../context/meter/cache.ts";
import type { Plan, Signals } from "../../context/types.ts";
import { countFreshTurns, spanRange } from "../../context/view/rows.ts";
import type { Compaction } from "../../extensions/hooks/output.ts";
import type { HookRegistry } from "../../extensions/hooks/registry.ts";
import { tierSchema } from "../../protocol/cut.ts";
import type {
  Change,
  CutFact,
  EntryOf,
  Price,
  SummaryReport,
  TierName,
  Trigger,
} from "../../protocol/entry.ts";
import type { AgentEvent, Events } from "../../protocol/event.ts";
import { callCost } from "../../protocol/model.ts";
import { listContext, runHooks, type HookContext } from "../hooks.ts";
import type { Session } from "../session.ts";
import { isByHand, type SummaryDraft } from "./summarizer.ts";

/** The request for a cut. */
export type Occasion = {
  trigger: Trigger;
  signal: AbortSignal;
  focus?: string | undefined;
  /** The next request would not fit: neither the user nor a hook can prevent it. */
  forced?: boolean;
};

type BeforeCut = { veto: string } | { instructions: string; warnings: string[] };

/**
 * PreCompact hooks may veto a cut of any tier, or add to the prompt of a summary. A veto is ignored when
 * the cut is `forced`.
 */
export async function beforeCut(
  hooks: HookRegistry,
  cut: Compaction,
  { signal, focus = "", forced = false }: Occasion,
): Promise<BeforeCut> {
  const input = { ...cut, custom_instructions: focus };
  const result = await hooks.run("PreCompact", input, { signal });
  const veto = result.block ?? result.stop;
  const instructions = result.context.join("\n");
  if (veto === null) return { instructions, warnings: result.messages };
  if (!forced) return { veto };
  const ignored = `A PreCompact hook's veto (${veto}) was ignored: the next request would not fit.`;
  return { instructions, warnings: [...result.messages, ignored] };
}

/** PostCompact hooks get what replaces the conversation; empty: no summary was made. */
export async function* afterCut(
  context: HookContext,
  cut: Compaction,
  { signal }: Occasion,
  summary = "",
): Events {
  yield* runHooks(context, "PostCompact", { ...cut, compact_summary: summary }, signal);
}

/** SessionStart hooks may add to what a summary left of the conversation. */
export async function* afterSummary(context: HookContext, { signal }: Occasion): Events {
  const started = yield* runHooks(context, "SessionStart", { source: "compact" }, signal);
  for (const fact of listContext("SessionStart", started)) yield await context.session.record(fact);
}

/** A plan as input of the compaction hooks. */
export function describeCut(plan: Plan, { view }: Signals, trigger: Trigger): Compaction {
  return {
    // In the words that hooks of other agents expect.
    trigger: isByHand(trigger) ? "manual" : "auto",
    tier: plan.tier,
    items:
      "changes" in plan ? plan.changes.length : countFreshTurns(spanRange(view, plan.summarize)),
    ...describePrice(plan.price),
  };
}

export const describePrice = ({ usedBefore, usedAfter, usd }: Price) => ({
  tokens_before: usedBefore,
  tokens_after: usedAfter,
  usd,
});

/** The changes of one tier in a plan. */
type TierPart = { tier: TierName; changes: readonly Change[] };

/** The tiers of a plan in their order of action; compaction hooks run for each. */
function splitByTier({ tier, changes }: Extract<Plan, { changes: unknown }>): TierPart[] {
  const own = (change: Change): TierName =>
    change.kind === "cover" ? tier : (change.tier ?? tier);
  return tierSchema.options.flatMap((one) => {
    const part = changes.filter((change) => own(change) === one);
    return part.length === 0 ? [] : [{ tier: one, changes: part }];
  });
}

/** One tier's part of a cut as input of the compaction hooks. */
function describePart({ tier, changes }: TierPart, now: Signals, trigger: Trigger): Compaction {
  const price = priceChanges(now, changes);
  return describeCut({ tier, action: "", reason: "", changes: [...changes], price }, now, trigger);
}

/** Makes the cut of a plan, tier by tier past the hooks. Returns true when it is in the log. */
export async function* applyChanges(
  context: HookContext,
  plan: Extract<Plan, { changes: unknown }>,
  occasion: Occasion,
): Events<boolean> {
  const { session, hooks } = context;
  const { tier, reason, price } = plan;
  const { trigger } = occasion;
  const allowed: (TierPart & { cut: Compaction })[] = [];
  for (const part of splitByTier(plan)) {
    const cut = describePart(part, session.signals, trigger);
    const hook = await beforeCut(hooks, cut, occasion);
    if (occasion.signal.aborted) return false;
    if ("veto" in hook) continue;
    yield* warn(session, hook.warnings);
    allowed.push({ ...part, cut });
  }
  const kept = new Set(allowed.flatMap(({ changes }) => changes));
  const changes = plan.changes.filter((change) => kept.has(change));
  if (changes.length === 0) return false;
  const isWhole = changes.length === plan.changes.length;
  const made = isWhole ? price : priceChanges(session.signals, changes);
  yield await recordCut(session, { tier, reason, changes, price: made, trigger });
  for (const { cut } of allowed) yield* afterCut(context, cut, occasion);
  return true;
}

export async function* warn(session: Session, texts: readonly string[]): Events {
  for (const text of texts) yield await session.record({ type: "note", kind: "warning", text });
}

/** A cut; it says when it was made inside a tool loop. */
function recordCut(session: Session, cut: Omit<CutFact, "type" | "midLoop">): Promise<AgentEvent> {
  const midLoop = session.view.midLoop ? { midLoop: true as const } : {};
  return session.record({ type: "cut", ...cut, ...midLoop });
}

type Used = {
  plan: Plan;
  trigger: Trigger;
  draft: SummaryDraft;
  text: string;
  report: SummaryReport;
  /** Holds the cost of a summary that was ready. */
  attempt: EntryOf<"attempt"> | null;
};

/** Records the cut that replaces a span with a summary. Returns its actual price. */
export async function* recordSummary(
  session: Session,
  { plan: { tier, reason }, trigger, draft, text, report, attempt }: Used,
): Events<Price> {
  const { rules } = session;
  const cover: Change =
    draft.by === "server"
      ? { kind: "cover", span: draft.span, text: draft.text, block: draft.block, kept: text }
      : { kind: "cover", span: draft.span, text };
  const edit = priceChanges(session.signals, [cover]);
  const { usage, spent } = draft.cost;
  const called = (usage ? callCost(usage, rules.prices) : 0) + (spent?.usd ?? 0);
  const usd = edit.usd + (attempt ? attemptUsd(attempt, rules) : called);
  const breakEvenCalls = callsToPayBack(usd, edit.usedBefore - edit.usedAfter, rules.prices);
  const price = { ...edit, usd, breakEvenCalls };
  yield await recordCut(session, {
    tier,
    reason,
    changes: [cover],
    price,
    trigger,
    summary: {
      ...report,
      ...(usage ? { usage } : {}),
      ...(attempt ? { attempt: attempt.id } : {}),
    },
    ...(spent ? { spent } : {}),
  });
  return price;
}
