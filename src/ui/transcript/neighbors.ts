/** Consecutive read-only calls share a row, until one of them is opened. */

import { basename } from "node:path";
import type { View } from "../../context/types.ts";
import { textOf } from "../../protocol/block.ts";
import { counted } from "../../base/in-words.ts";
import { rowOf } from "../../context/view/rows.ts";
import { sentEntry } from "../items.ts";
import { sanitizeLine } from "../sanitize.ts";
import { isOpen, type ScreenState } from "../state.ts";
import { callTitle, showLineRange } from "./format.ts";
import { measureExtent, foundNothing, type ToolItem } from "./outcome.ts";

/** The calls that share the row of the one at `index`, in order; null: it has a row of its own. */
export function findNeighbors(
  state: ScreenState,
  view: View,
  index: number,
): readonly ToolItem[] | null {
  const item = state.items[index];
  if (item?.kind !== "tool") return null;
  const group: ToolItem[] = [];
  for (let place = item.groupStart; ; place++) {
    const next = state.items[place];
    if (next?.kind !== "tool" || next.groupStart !== item.groupStart) break;
    if (next.result === null || next.result.isError || isOpen(state, next)) return null;
    // What is not sent in full has a badge in its row.
    if (next.result.file !== undefined) return null;
    if (rowOf(view, sentEntry(next))?.by !== undefined) return null;
    group.push(next);
  }
  return group.length > 1 ? group : null;
}

/** "Read meter.ts, layout.ts" */
export function neighborsTitle(group: readonly ToolItem[]): string {
  const [first] = group;
  const name = first?.call.name ?? "";
  const what = group.map(({ call: { input } }) => {
    const path = input["file_path"];
    return typeof path === "string"
      ? `${basename(path)}${showLineRange(input)}`
      : callTitle(name, input).slice(sanitizeLine(name).length + 1);
  });
  return sanitizeLine(`${name} ${what.join(", ")}`);
}

/** "293 lines" */
export function neighborsOutcome(group: readonly ToolItem[]): string {
  const found = group.flatMap(({ call, result }) =>
    result && !foundNothing(textOf(result.content)) ? [measureExtent(call, result)] : [],
  );
  const [first] = found;
  if (first === undefined) return "no match";
  const isSame = found.every(([, what]) => what === first[1]);
  return counted(
    found.reduce((sum, [count]) => sum + count, 0),
    isSame ? first[1] : "line",
  );
}
