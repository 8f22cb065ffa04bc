/** Tokens of rows: counted by a call where possible, estimated otherwise. */

import type { CharsPerToken, ModelRules } from "../../protocol/model.ts";
import type { Row, View } from "../types.ts";

/** Tokens that a row takes in the request now: counted by a call, or else estimated. `index`: of the row, if it is known. */
export const rowCounter =
  (view: View, rules: ModelRules) =>
  (row: Row, index = view.indexOf(row.entry.id)): number => {
    const counted = index === undefined ? null : view.tokenCounts.countedTokens(index);
    const { calibration } = view.tokenCounts;
    return Math.round(counted ?? calibration.tokens(row.charsByKind, rules.charsPerToken));
  };

/** Tokens by row; of a row that is not sent, zero. */
type RowTokens = readonly number[];

type CountedRows = { version: number; charsPerToken: CharsPerToken; tokens: RowTokens };
const known = new WeakMap<readonly Row[], CountedRows>();

/** The tokens of every row, which a plan adds up many times. Computed once for each version of the view. */
export function rowTokens(view: View, rules: ModelRules): RowTokens {
  const { rows, version } = view;
  const { charsPerToken } = rules;
  const before = known.get(rows);
  if (before?.version === version && before.charsPerToken === charsPerToken) return before.tokens;
  const count = rowCounter(view, rules);
  const tokens = rows.map((row, index) => count(row, index));
  known.set(rows, { version, charsPerToken, tokens });
  return tokens;
}

/** Tokens of the rows from one to another, without the latter; of those for which `counts` is true. */
export function sumTokens(
  view: View,
  rules: ModelRules,
  from: number,
  to = view.rows.length,
  counts: (row: Row) => boolean = () => true,
): number {
  const tokens = rowTokens(view, rules);
  let sum = 0;
  for (let index = from; index < to; index++) {
    const row = view.rows[index];
    if (row && counts(row)) sum += tokens[index] ?? 0;
  }
  return sum;
}

/** Tokens that a row would take if it were shown whole. */
export const wholeRowCounter =
  (view: View, rules: ModelRules) =>
  (row: Row): number => {
    const index = view.indexOf(row.entry.id);
    const counted = index === undefined ? null : view.tokenCounts.countedWholeTokens(index);
    const { calibration } = view.tokenCounts;
    return Math.round(counted ?? calibration.tokens(row.wholeCharsByKind, rules.charsPerToken));
  };
