/** An open tool loop as text: for servers that accept none of its thinking any more. */

import { clip, takeEnd } from "../../base/clip.ts";
import { blockText } from "../../protocol/block.ts";
import type { Change, CutFact } from "../../protocol/entry.ts";
import { priceChanges } from "../meter/cache.ts";
import type { Row, Signals, View } from "../types.ts";

/** Most characters kept of an input, or of an older result, and of a still older one. */
const maxChars = 4_000;
const fewChars = 200;
/** Characters of the newest results that are kept in full, for each token of the window; then as many of older ones. */
const wholeChars = 0.6;

/**
 * A cut that turns the open tool loop into text, for when the API accepts none of its thinking.
 * Null when no loop is open.
 */
export function foldOpenLoop(
  now: Signals,
  reason = "the API refused the thinking of this turn",
): CutFact | null {
  const { view, rules } = now;
  const rows = view.rows.slice(view.loopStart);
  const first = rows.findIndex(
    ({ entry }) => entry.type === "assistant" && entry.stop !== "failed",
  );
  const last = rows.findLastIndex(({ entry }) => entry.type === "result");
  const from = rows[first];
  const to = rows[last];
  if (!view.midLoop || !from || !to || last < first) return null;
  let room = rules.windowTokens * wholeChars;
  const steps = rows
    .slice(first, last + 1)
    .toReversed()
    .map((row) => {
      if (row.shown === "covered") {
        const left = Math.max(0, room + rules.windowTokens * wholeChars);
        return recordAt(view, row).map((record) => takeEnd(record, left));
      }
      const older = room > -rules.windowTokens * wholeChars ? maxChars : fewChars;
      const texts = describeRow(row, room > 0 ? Number.POSITIVE_INFINITY : older);
      room -= texts.reduce((sum, text) => sum + text.length, 0);
      return texts;
    })
    .toReversed();
  const text = ["What you did in this turn so far, as a record:", ...steps.flat()].join("\n\n");
  const span = { from: from.entry.id, to: to.entry.id };
  const changes: Change[] = [{ kind: "cover", span, text }];
  const price = priceChanges(now, changes);
  return { type: "cut", tier: "manual", trigger: "auto", reason, changes, price, midLoop: true };
}

/** The text of a record, or a summary, that begins at a row of this loop. */
function recordAt(view: View, { entry }: Row): string[] {
  const at = view.indexOf(entry.id);
  const changes = view.covers.find(({ from }) => from === at)?.cut.changes ?? [];
  return changes.flatMap((change) =>
    change.kind === "cover" && change.span.from === entry.id ? [change.text] : [],
  );
}

/** A row as text, with calls and results clipped. */
function describeRow({ entry, text }: Row, most: number): string[] {
  switch (entry.type) {
    case "user":
      return [`The user: ${blockText(entry.content)}`];
    case "assistant":
      return entry.content.flatMap((block) => {
        if (block.type === "text") return [block.text];
        if (block.type !== "tool_use") return [];
        return [`You called ${block.name} with ${clip(JSON.stringify(block.input), maxChars)}`];
      });
    case "result":
      return [`Result of ${entry.tool}: ${clip(text ?? blockText(entry.content), most)}`];
    default:
      return [];
  }
}
