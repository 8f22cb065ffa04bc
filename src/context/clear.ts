import type { Change } from "../protocol/entry.ts";
import { placeholder } from "./placeholder.ts";
import type { ResultRow } from "./protect.ts";
import type { View } from "./types.ts";

/** A placeholder in place of each result that is larger than its placeholder. */
export function replaceWhole(
  view: View,
  rows: readonly ResultRow[],
  why: "snipped" | "cleared",
): Change[] {
  return rows.flatMap((row): Change[] => {
    const text = placeholder(view, row, why);
    // Half as much again, so that a placeholder is never replaced by another one.
    return row.chars > text.length * 1.5 ? [{ kind: "replace", entry: row.entry.id, text }] : [];
  });
}
