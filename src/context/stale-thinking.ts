/** What the next message does to stale thinking, computed before it arrives. */

import { withChange } from "./anchor.ts";
import { withoutKind, type CharsByKind } from "./char-count.ts";
import { withChars } from "./row.ts";
import type { View } from "./types.ts";

/**
 * The view, apart from its messages, once a message of the user has removed stale thinking. All other
 * rows are shared.
 */
export function withoutStaleThinking(view: View): View {
  if (!view.staleThinking || view.midLoop) return view;
  const rows = [...view.rows];
  const rest = new Map<number, CharsByKind>();
  for (let index = view.sentFrom; index < rows.length; index++) {
    const row = rows[index];
    if (!row || row.charsByKind.thinking === 0) continue;
    const charsByKind = withoutKind(row.charsByKind, "thinking");
    rows[index] = withChars(row, charsByKind);
    rest.set(index, charsByKind);
  }
  const tokenCounts = view.tokenCounts.with(rest);
  const [first] = rest.keys();
  const { anchor, after } = view;
  const changed =
    anchor && first !== undefined ? withChange(anchor, first, { tokenCounts, after }) : anchor;
  return Object.create(view, {
    rows: { value: rows },
    tokenCounts: { value: tokenCounts },
    anchor: { value: changed },
    staleThinking: { value: false },
  });
}
