import type { Anchor, TokenCounts } from "./types.ts";

/** The anchor once the rows from `first` on differ from what was sent. */
export function withChange(anchor: Anchor, first: number, tokenCounts: TokenCounts): Anchor {
  if (first > anchor.row) return anchor;
  if (anchor.changed !== null && anchor.changed.row <= first) return anchor;
  return { ...anchor, changed: { row: first, tokensBefore: tokensBefore(tokenCounts, first) } };
}

function tokensBefore(tokenCounts: TokenCounts, row: number): number {
  let tokens = tokenCounts.counted.system + tokenCounts.counted.tools;
  for (let at = 0; at < row; at++) tokens += tokenCounts.tokensOf(at) ?? 0;
  return tokens;
}
