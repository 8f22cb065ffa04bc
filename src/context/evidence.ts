/** Facts about a view for people and programs: which rules it holds, and how much of it nothing uses. */

import { blockText } from "../protocol/block.ts";
import type { ModelRules } from "../protocol/model.ts";
import { findDeadWeight } from "./meter/dead-weight.ts";
import { countKept, sessionRules } from "./summary/rules.ts";
import type { View } from "./types.ts";
import { rowCounter } from "./view/rows.ts";

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
  const unused = findDeadWeight(view);
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
