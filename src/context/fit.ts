/** Whether the next request fits, and what has to go when it does not. */

import { textOf } from "../protocol/block.ts";
import type { Change } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { replaceWhole } from "./clear.ts";
import { headAndTail } from "./placeholder.ts";
import { cuttableResults, isResult, type ResultRow } from "./protect.ts";
import { spanBeforeExchange } from "./span.ts";
import { supersededReads } from "./stale.ts";
import type { Plan, Reading, Signals, View } from "./types.ts";

/** Room that an answer needs at least, in tokens. */
export const answerRoom = (rules: ModelRules): number =>
  Math.min(
    rules.outputTokens,
    Math.max(1_024, Math.min(8_192, Math.floor(rules.windowTokens / 8))),
  );

/** Tokens by which the next request is too large; 0 or less: it fits. */
export const excess = (reading: Reading, rules: ModelRules): number =>
  reading.usedTokens +
  Math.min(reading.errorTokens, rules.windowTokens / 10) +
  answerRoom(rules) -
  rules.windowTokens;

/**
 * Frees `needed` tokens, as far as needed and no further: stale reads first, then the oldest results,
 * then everything before the open exchange by a summary, at last the largest results of the exchange
 * itself. Null when nothing more can go.
 */
export function forced(view: View, now: Signals, policy: Policy, needed: number): Plan | null {
  const reason = `the next request would not fit: ${Math.ceil(needed)} tokens too many`;
  const results = cuttableResults(view, policy.keepResults);
  const stale = supersededReads(view);
  const ordered = [
    ...results.filter((row) => stale.has(row.entry.id)),
    ...results.filter((row) => !stale.has(row.entry.id)),
  ];
  const plan = (changes: Change[], tier: "budget" | "snip"): Plan => ({
    tier,
    reason,
    changes,
    price: now.priceOf(changes),
  });
  const changes = upTo(replaceWhole(view, ordered, "snipped"), needed, view, now);
  const gained = freedBy(changes, view, now);
  if (gained >= needed) return plan(changes, "snip");
  const span = spanBeforeExchange(view);
  if (span && now.moment !== "turnEnd" && worthSummary(view, now, span.from, span.to, needed)) {
    return { tier: "summary", reason, summarise: span, price: now.priceOfSummary(span) };
  }
  if (changes.length > 0) return plan(changes, "snip");
  const large = largestResult(view);
  if (!large) return null;
  return plan(
    [{ kind: "replace", entry: large.entry.id, text: headAndTail(large, shownChars(large) / 2) }],
    "budget",
  );
}

/** The first of the changes that free `needed` tokens together. */
function upTo(changes: readonly Change[], needed: number, view: View, now: Signals): Change[] {
  const taken: Change[] = [];
  let freed = 0;
  for (const change of changes) {
    if (freed >= needed) break;
    taken.push(change);
    freed += freedBy([change], view, now);
  }
  return taken;
}

function freedBy(changes: readonly Change[], view: View, now: Signals): number {
  return changes.reduce((sum, change) => {
    if (change.kind !== "replace") return sum;
    const row = view.rows[view.indexOf(change.entry) ?? -1];
    return row
      ? sum + Math.max(0, now.tokensOf(row) * (1 - change.text.length / Math.max(row.chars, 1)))
      : sum;
  }, 0);
}

/** A summary helps when what it covers is larger than what it puts there. */
function worthSummary(view: View, now: Signals, from: string, to: string, needed: number): boolean {
  const first = view.indexOf(from) ?? 0;
  const last = view.indexOf(to) ?? 0;
  const covered = view.rows.slice(first, last + 1).reduce((sum, row) => sum + now.tokensOf(row), 0);
  return covered > Math.max(600, Math.min(needed, 2_000));
}

/** Even the newest results give way when nothing else is left, halved until they fit. */
function largestResult(view: View): ResultRow | null {
  const rows = view.rows
    .filter(isResult)
    .filter((row) => row.shown !== "covered" && shownChars(row) > 2_000);
  return rows.sort((a, b) => shownChars(b) - shownChars(a))[0] ?? null;
}

const shownChars = (row: ResultRow): number => row.text?.length ?? textOf(row.entry.content).length;
