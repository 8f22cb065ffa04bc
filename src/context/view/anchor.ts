/** How much of what the last call sent the server can still read from its cache. */

import type { Anchor, CachedPrefix, View } from "../types.ts";

/** The anchor once the rows from `first` on differ from what was sent. */
export function withChange(
  anchor: Anchor,
  first: number,
  view: Pick<View, "tokenCounts" | "cachedPrefixes">,
): Anchor {
  if (first > anchor.row) return anchor;
  if (anchor.changed !== null && anchor.changed.row <= first) return anchor;
  const { rows: cachedRows, tokens: tokensBefore } = cachedBefore(view, first);
  return { ...anchor, changed: { row: first, cachedRows, tokensBefore } };
}

/** How much the server could still read from its cache if a row changed. */
export function cachedBefore(
  { tokenCounts, cachedPrefixes }: Pick<View, "tokenCounts" | "cachedPrefixes">,
  row: number,
): CachedPrefix {
  const { system, tools } = tokenCounts.counted;
  const head = { rows: 0, tokens: system + tools };
  if (cachedPrefixes) return cachedPrefixes.findLast(({ rows }) => rows <= row) ?? head;
  let { tokens } = head;
  for (let before = 0; before < row; before++) tokens += tokenCounts.countedTokens(before) ?? 0;
  return { rows: row, tokens };
}
