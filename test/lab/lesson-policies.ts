/** No policy at all, and the rules that tutorials about compaction teach. */

import { bareRules } from "../bare-rules.ts";
import { priceChanges } from "../../src/context/meter/cache.ts";
import { priceOfSummary } from "../../src/context/summary/price.ts";
import { isResult, spanRange, spanRows } from "../../src/context/view/rows.ts";
import { cuttableResults } from "../../src/context/tiers/protect.ts";
import { freshTokens, spanBeforeTurn, spanTo } from "../../src/context/summary/span.ts";
import { extractSummary } from "../../src/context/summary/extract.ts";
import { planCuts } from "../../src/context/ladder.ts";
import { summary } from "../../src/context/summary/when.ts";
import type { Plan, View } from "../../src/context/types.ts";
import type { Change, ResultFact, Span } from "../../src/protocol/entry.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { persisted } from "./arrival.ts";
import { atRealSize, summaryChars, type Now, type ReplayPolicy, type Summary } from "./policy.ts";

export const numbers: Policy = { ...defaultPolicy, ...bareRules };

/** A summary alone, of the size that models write. */
export function plainSummary(view: View, span: Span, rules: ModelRules): Summary {
  const perToken = rules.charsPerToken.prose;
  const rows = spanRows(view, span);
  const covered = rows.reduce((sum, { chars }) => sum + chars, 0);
  const text = extractSummary(spanRange(view, span), { maxChars: summaryChars(perToken) });
  return { ...atRealSize(`[Summary]\n${text}`, covered, perToken), files: [] };
}

/** Shared by every policy but our own, unless it says otherwise. */
export const common = {
  numbers,
  marks: "ends",
  arrive: (result: ResultFact) => result,
  summarize: plainSummary,
} as const;

export const none: ReplayPolicy = {
  ...common,
  source: "never cuts",
  plan: () => null,
};

/** Less than this, in tokens and not summarized yet, leaves nothing to summarize. */
const minFresh = 1_000;

export function asPlan(reason: string, span: Span | null, now: Now): Plan | null {
  const { view, rules } = now;
  if (!span || freshTokens(view, span, rules) < minFresh) return null;
  const price = priceOfSummary({ ...now, policy: numbers }, span);
  return { tier: "summary", action: "summarize", reason, summarize: span, price };
}

export function clearing(reason: string, changes: Change[], now: Now): Plan | null {
  if (changes.length === 0) return null;
  const price = priceChanges({ ...now, policy: numbers }, changes);
  return { tier: "microcompact", action: "clear", reason, changes, price };
}

/** Estimated as the lessons do, without asking the server. */
const estimated = (view: View, charsPerToken: number): number =>
  view.rows.reduce((sum, row) => sum + row.chars, 0) / charsPerToken;

export const lessons = {
  "lesson-a": {
    ...common,
    source: "a three-layer tutorial: keep 3 results, summary at an estimate of 50,000 tokens",
    plan(now) {
      const { view } = now;
      const results = view.rows.filter(isResult).filter(({ shown }) => shown === "whole");
      const changes = results
        .slice(0, -3)
        .flatMap((row): Change[] =>
          row.chars > 130
            ? [{ kind: "replace", entry: row.entry.id, text: `[Previous: used ${row.entry.tool}]` }]
            : [],
        );
      const clear = clearing("older than the newest 3", changes, now);
      if (clear) return clear;
      const uncovered = view.rows.some(
        ({ shown, charsByKind }) => shown === "whole" && charsByKind.user > 0,
      );
      if (estimated(view, 4) <= 50_000 || !uncovered) return null;
      return asPlan("50,000 tokens", spanTo(view, view.rows.length - 1), now);
    },
    summarize: (view, span, rules) => ({
      ...plainSummary(view, span, rules),
      outputTokens: 2_000,
      ownTokens: Math.min(25_000, Math.ceil(estimated(view, 3))),
    }),
  },
  "lesson-b": {
    ...common,
    source: "a threshold tutorial: after a turn, above window - 16,000 - 13,000 by characters / 3",
    plan(now) {
      const { moment, view, rules } = now;
      if (moment !== "turnStart") return null;
      if (estimated(view, 3) <= rules.windowTokens - 29_000) return null;
      return asPlan("above the threshold", spanBeforeTurn(view), now);
    },
  },
  /** Every threshold, before every call, whatever the cache holds. */
  "lesson-c": {
    ...common,
    source: "a four-tier tutorial: tiers 1 to 3 before every call, 4 at a turn's start",
    arrive: persisted(numbers),
    plan(now) {
      const isStart = now.moment === "turnStart";
      if (cuttableResults(now.view, numbers.keepResults).length === 0 && !isStart) return null;
      const signals = { ...now, policy: numbers };
      return planCuts(signals) ?? (isStart ? summary(signals, null) : null);
    },
  },
} satisfies Record<string, ReplayPolicy>;
