import type { Anchor, View } from "./types.ts";

/** The anchor once the rows from `first` on differ from what was sent. */
export function withChange(
  anchor: Anchor,
  first: number,
  { tokenCounts, after }: Pick<View, "tokenCounts" | "after">,
): Anchor {
  if (first > anchor.row) return anchor;
  if (anchor.changed !== null && anchor.changed.row <= first) return anchor;
  let tokensBefore = tokenCounts.counted.system + tokenCounts.counted.tools;
  for (let row = 0; row < first; row = after(row)) tokensBefore += tokenCounts.tokensOf(row) ?? 0;
  return { ...anchor, changed: { row: first, tokensBefore } };
}
