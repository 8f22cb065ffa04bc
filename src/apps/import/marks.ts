/** User messages that nobody typed: agents mark them with tags or brackets of their own. */

import type { UserBlock } from "../../protocol/block.ts";
import type { ContextFact } from "../../protocol/entry.ts";

export type Mark = { kind: ContextFact["kind"]; title: string };

/** How such a message begins, and what it is. */
export type Marks = readonly (readonly [RegExp, Mark["kind"], title: string])[];

/** Null for words that the user typed. */
export function markOf(text: string, marks: Marks): Mark | null {
  const start = text.slice(0, 200).trimStart();
  const found = marks.find(([pattern]) => pattern.test(start));
  return found ? { kind: found[1], title: found[2] } : null;
}

/** The same for a message, by its first text. */
export function markIn(said: readonly UserBlock[], marks: Marks): Mark | null {
  const first = said.find((block) => block.type === "text");
  return first ? markOf(first.text, marks) : null;
}
