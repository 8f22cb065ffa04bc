/** The hooks before and after a cut. */

import type { Plan, Signals } from "../../context/types.ts";
import { countTurns, spanRange } from "../../context/view/rows.ts";
import type { Compaction } from "../../extensions/hooks/output.ts";
import type { HookRegistry } from "../../extensions/hooks/registry.ts";
import { priceChanges } from "../../context/meter/cache.ts";
import { tierSchema } from "../../protocol/cut.ts";
import type { Change, TierName, Trigger } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import { listContext, runHooks, type HookContext } from "../hooks.ts";
import { isByHand } from "./throttle.ts";

/** The request for a cut. */
export type Occasion = {
  trigger: Trigger;
  signal: AbortSignal;
  focus?: string | undefined;
  /** The session's model writes the summary, not the one for summaries. */
  ownModel?: true | undefined;
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
): AsyncGenerator<AgentEvent, void> {
  yield* runHooks(context, "PostCompact", { ...cut, compact_summary: summary }, signal);
}

/** SessionStart hooks may add to what a summary left of the conversation. */
export async function* afterSummary(
  context: HookContext,
  { signal }: Occasion,
): AsyncGenerator<AgentEvent, void> {
  const started = yield* runHooks(context, "SessionStart", { source: "compact" }, signal);
  for (const fact of listContext("SessionStart", started)) yield await context.session.record(fact);
}

/** A plan as hooks are told of it. */
export function describeCut(plan: Plan, { view }: Signals, trigger: Trigger): Compaction {
  const { usedBefore, usedAfter, usd } = plan.price;
  return {
    // In the words that hooks of other agents expect.
    trigger: isByHand(trigger) ? "manual" : "auto",
    tier: plan.tier,
    items: "changes" in plan ? plan.changes.length : countTurns(spanRange(view, plan.summarize)),
    tokens_before: usedBefore,
    tokens_after: usedAfter,
    usd,
  };
}

/** The changes of one tier in a plan. */
export type TierPart = { tier: TierName; changes: readonly Change[] };

/** The tiers of a plan, in the order in which they act: hooks are told of each. */
export function splitByTier({ tier, changes }: Extract<Plan, { changes: unknown }>): TierPart[] {
  const own = (change: Change): TierName =>
    change.kind === "cover" ? tier : (change.tier ?? tier);
  return tierSchema.options.flatMap((one) => {
    const part = changes.filter((change) => own(change) === one);
    return part.length === 0 ? [] : [{ tier: one, changes: part }];
  });
}

/** One tier's part of a cut as hooks are told of it. */
export function describePart(
  { tier, changes }: TierPart,
  now: Signals,
  trigger: Trigger,
): Compaction {
  const price = priceChanges(now, changes);
  return describeCut({ tier, action: "", reason: "", changes: [...changes], price }, now, trigger);
}
