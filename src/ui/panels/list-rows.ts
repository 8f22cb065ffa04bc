import { fit, pad } from "../painted-text.ts";
import { type Line, plainText, span } from "../spans.ts";
import { clamp, type ListRow } from "./navigation.ts";

type Layout<T> = {
  columns: number;
  lines(item: T, columns: number): readonly Line[];
  group: ((item: T) => string) | undefined;
};

/** At most `room` rows of items and headings around the selected item; `item`: index, null for a heading. */
export function rowsAround<T>(
  all: readonly T[],
  chosen: number,
  room: number,
  { columns, lines, group }: Layout<T>,
): { item: number | null; row: ListRow }[] {
  const from = Math.max(0, chosen - room);
  const rows = all.slice(from, chosen + room + 1).flatMap((item, offset) => {
    const at = from + offset;
    const before = all[at - 1];
    const heading = group?.(item);
    const isFirst = before === undefined || group?.(before) !== heading;
    return [
      ...(heading !== undefined && isFirst
        ? [{ item: null, row: { line: span("heading", heading), isChosen: false } }]
        : []),
      ...rowsOf(lines(item, columns), at === chosen, columns).map((row) => ({ item: at, row })),
    ];
  });
  const first = rows.findIndex(({ item }) => item === chosen);
  const tall = rows.filter(({ item }) => item === chosen).length;
  const top = clamp(first - Math.floor((room - tall) / 2), rows.length - room);
  return rows.slice(top, top + room);
}

/** Pads the selected item's first line to the full width and marks it in the margin. */
const rowsOf = (lines: readonly Line[], isChosen: boolean, columns: number): ListRow[] =>
  lines.map((line, index) => {
    if (!isChosen || index > 0) return { line, isChosen: false };
    const text = plainText(line).replace(/^ {2}/, "❯ ");
    return { line: pad(fit(text, columns), columns), isChosen };
  });
