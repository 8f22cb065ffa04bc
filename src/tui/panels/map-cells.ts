/**
 * The hundred cells of the map, each for a hundredth of the space that can be filled, with what
 * fills them. Pure.
 */

import type { Kind } from "../../context/char-count.ts";
import { kinds, tokensOf } from "../../context/meter.ts";
import type { MeterReading, Row, View } from "../../context/types.ts";
import { sentRows } from "../../context/walk-rows.ts";
import type { ModelRules } from "../../protocol/model.ts";

const count = 100;

/** null: free. */
type Cell = { kind: Kind; /** Which of its kind's cells it is. */ index: number } | null;

export function cellsOf({ breakdown, effectiveTokens }: MeterReading): Cell[] {
  const filled = kinds.flatMap((kind) => {
    const cells = Math.round((breakdown[kind] / effectiveTokens) * count);
    return Array.from({ length: cells }, (_, index) => ({ kind, index }));
  });
  return [...filled, ...Array.from({ length: Math.max(0, count - filled.length) }, () => null)];
}

/** The item in the middle of a cell, if its kind has items. */
export function rowAt(
  { kind, index }: NonNullable<Cell>,
  view: View,
  rules: ModelRules,
  { effectiveTokens }: MeterReading,
): { row: Row; tokens: number } | null {
  const tokens = tokensOf(view, rules);
  let left = ((index + 0.5) * effectiveTokens) / count;
  let last: { row: Row; tokens: number } | null = null;
  for (const row of sentRows(view)) {
    if (!holds[kind]?.(row)) continue;
    last = { row, tokens: tokens(row) };
    left -= last.tokens;
    if (left < 0) break;
  }
  return last;
}

const isAnswer = ({ entry }: Row): boolean => entry.type === "assistant";

/** The items that make up a kind. */
const holds: Partial<Record<Kind, (row: Row) => boolean>> = {
  instructions: ({ entry }) => entry.type === "context",
  user: ({ entry }) => entry.type === "user",
  assistant: isAnswer,
  thinking: isAnswer,
  toolInputs: isAnswer,
  toolResults: ({ entry }) => entry.type === "result",
};
