import type { EntryOf } from "../protocol/entry.ts";
import type { Row, View } from "./types.ts";

/** The cut that changed how a row is shown; undefined if none did. */
export function cutOf(
  view: Pick<View, "rows" | "indexOf">,
  row: Pick<Row, "by"> | undefined,
): EntryOf<"cut"> | undefined {
  if (row?.by === undefined) return undefined;
  const entry = view.rows[view.indexOf(row.by) ?? -1]?.entry;
  return entry?.type === "cut" ? entry : undefined;
}
