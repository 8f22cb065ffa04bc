/** Facts about a view for people and programs: which rules it holds, and how much of it nothing uses. */

import { blockText } from "../protocol/block.ts";
import type { Change } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import { isSmaller } from "./meter/cache.ts";
import { findLastUses, type LastUse, unusedAfterCalls } from "./meter/dead-weight.ts";
import { countKept, sessionRules } from "./summary/rules.ts";
import { placeholder } from "./tiers/replacement.ts";
import type { Row, View } from "./types.ts";
import { isResult, rowCounter } from "./view/rows.ts";

/** The text of every message that the model sees. */
export const viewText = ({ messages }: View): string =>
  messages.map(({ content }) => blockText(content)).join("\n");

export type Evidence = {
  /** Rules of the session that the view holds word for word. */
  rules: { kept: number; all: number };
  /** Results that no call used since; `usdPerCall`: read from the cache. */
  unused: { results: number; tokens: number; usdPerCall: number };
};

export function findEvidence(view: View, rules: ModelRules): Evidence {
  const count = rowCounter(view, rules);
  const unused = findDeadWeight(view, rules);
  const tokens = unused.reduce(
    (sum, { row }) => sum + count(row, view.indexOf(row.entry.id) ?? 0),
    0,
  );
  return {
    rules: countKept(sessionRules(view), viewText(view)),
    unused: {
      results: unused.length,
      tokens: Math.round(tokens),
      usdPerCall: (tokens * rules.prices.cacheRead) / 1_000_000,
    },
  };
}

/** Results that nothing has needed for so long that nothing will, and that may be cleared. */
export const findDeadWeight = (view: View, rules: ModelRules): LastUse[] =>
  findLastUses(view).filter(
    ({ row, callsSince, usedBy }) =>
      usedBy === null && callsSince >= unusedAfterCalls && listDrops(view, rules, [row]).length > 0,
  );

/** The changes that drop these rows: only results, and only those larger than their placeholder in tokens. */
export function listDrops(view: View, rules: ModelRules, rows: readonly Row[]): Change[] {
  return rows.filter(isResult).flatMap((row): Change[] => {
    if (row.shown !== "whole" || row.pinned) return [];
    const text = placeholder(view, row, "cleared");
    const drop: Change = { kind: "replace", entry: row.entry.id, text };
    return isSmaller(view, rules, drop) ? [drop] : [];
  });
}
