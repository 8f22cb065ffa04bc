import type { Anchor, View } from "./types.ts";

type Counted = Pick<View, "tokenCounts" | "after">;

/** The anchor once the rows from `first` on differ from what was sent. */
export function withChange(anchor: Anchor, first: number, counted: Counted): Anchor {
  if (first > anchor.row) return anchor;
  if (anchor.changed !== null && anchor.changed.row <= first) return anchor;
  return { ...anchor, changed: { row: first, tokensBefore: tokensBefore(first, counted) } };
}

function tokensBefore(row: number, { tokenCounts, after }: Counted): number {
  let tokens = tokenCounts.counted.system + tokenCounts.counted.tools;
  for (let at = 0; at < row; at = after(at)) tokens += tokenCounts.tokensOf(at) ?? 0;
  return tokens;
}
