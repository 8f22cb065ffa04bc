/**
 * Coming back after a pause: the server has forgotten the prompt, so the next message pays for all of
 * it again. Said once, with what clearing stale results first would save. Pure but for the hook.
 */

import { useMemo } from "react";
import { clearPlan, nextPlan } from "../../context/pipeline.ts";
import { estimatePrompt } from "../../context/estimate-cost.ts";
import type { MeterReading, View } from "../../context/types.ts";
import type { Change } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { showUsd } from "../transcript/format.ts";
import type { PanelProps } from "../types.ts";
import { showAge } from "./age.ts";

export type ColdCache = {
  /** US dollars for the prompt of the next call, answer not counted. */
  asIsUsd: number;
  clearedUsd: number;
  results: number;
  /** The policy clears by itself when the next message is sent. */
  clearsItself: boolean;
};

/** Saving less than this, as a share of the price and in US dollars, is not worth a line. */
const least = { share: 0.1, usd: 0.01 };

/** null: the cache is not cold, or clearing would not change the price by much. */
export function coldCacheOf(
  view: View,
  reading: MeterReading,
  rules: ModelRules,
  policy: Policy,
): ColdCache | null {
  if (reading.cache.state !== "cold") return null;
  const byItself = nextPlan("turnStart", view, reading, policy, rules);
  const clearsItself = byItself !== null && "changes" in byItself;
  const plan = clearsItself ? byItself : clearPlan(view, reading, policy, rules);
  if (!plan || !("changes" in plan)) return null;
  const asIsUsd = estimatePrompt(reading, rules, policy);
  const clearedUsd = estimatePrompt(
    { ...reading, usedTokens: plan.price.usedAfter },
    rules,
    policy,
  );
  if (asIsUsd - clearedUsd < Math.max(least.usd, asIsUsd * least.share)) return null;
  return { asIsUsd, clearedUsd, results: resultsIn(plan.changes), clearsItself };
}

/** The long inputs of calls that go with them need no mention. */
const resultsIn = (changes: readonly Change[]): number =>
  changes.filter(({ kind }) => kind === "replace").length;

export function coldCacheText(weighed: ColdCache, idleMs: number): string {
  const { asIsUsd, clearedUsd, results, clearsItself } = weighed;
  const stale = `${results} stale ${results === 1 ? "result" : "results"}`;
  const cold = `Cache cold after ${showAge(idleMs)}.`;
  return clearsItself
    ? `${cold} The next message first clears ${stale} and costs ${showUsd(clearedUsd)} (${showUsd(asIsUsd)} with them). Alt-1 clears now, Alt-2 hides this.`
    : `${cold} The next message costs ${showUsd(asIsUsd)} as it is, ${showUsd(clearedUsd)} without ${stale}. Alt-1 clears them, Alt-2 leaves it.`;
}

type ColdCacheOptions = Pick<
  PanelProps,
  "state" | "view" | "reading" | "rules" | "options" | "send"
>;

/** The words while there is something to say; null when not. Listens to the two keys meanwhile. */
export function useColdCacheNotice(parts: ColdCacheOptions, covered: boolean): string | null {
  const { state, view, reading, rules, options, send } = parts;
  /** The call since which it was told. */
  const told = useLatest<number | null>(null);
  const sinceMs = view.anchor?.atMs ?? null;
  const isOpen = reading.cache.state === "cold" && state.phase === "idle" && !covered;
  const weighed = useMemo(
    () => (isOpen ? coldCacheOf(view, reading, rules, options.policy) : null),
    // The view is a live look at the path; the rest of the reading hangs on both.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [isOpen, state.path, rules, options.policy],
  );
  const shown = told.get() === sinceMs ? null : weighed;
  useKeys(
    "popup",
    (event) => {
      if (event.type !== "key") return false;
      const isAnswer = event.chord === "alt+1" || event.chord === "alt+2";
      if (!isAnswer) return false;
      told.set(sinceMs);
      if (event.chord === "alt+1") send({ type: "compact", how: "clear", trigger: "key" });
      return true;
    },
    shown !== null,
  );
  return shown ? coldCacheText(shown, reading.idleMs ?? 0) : null;
}
