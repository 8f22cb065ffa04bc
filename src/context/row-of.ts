import type { EntryId, EntryOf } from "../protocol/entry.ts";
import type { Row, View } from "./types.ts";

type Rows = Pick<View, "rows" | "indexOf">;

/** The row of an entry; undefined if it is not on the path. */
export function rowOf({ rows, indexOf }: Rows, entry: EntryId): Row | undefined {
  const index = indexOf(entry);
  return index === undefined ? undefined : rows[index];
}

/** The cut that changed how a row is shown; undefined if none did. */
export function cutOf(view: Rows, row: Pick<Row, "by"> | undefined): EntryOf<"cut"> | undefined {
  const entry = row?.by === undefined ? undefined : rowOf(view, row.by)?.entry;
  return entry?.type === "cut" ? entry : undefined;
}
