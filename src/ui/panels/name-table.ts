import { fit, hang, pad, wrapWords } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { type Line, span } from "../spans.ts";

export type NameRow = readonly [name: string, about: string];

/** Minimum columns for a description beside its name; with fewer it goes below. */
const minColumns = 20;

const maxName = 22;

/** Two columns: names and descriptions. */
export function nameTable(rows: readonly NameRow[], columns: number): Line[] {
  const widest = Math.min(maxName, Math.max(0, ...rows.map(([name]) => Bun.stringWidth(name))));
  const room = columns - widest - 2;
  if (room < minColumns)
    return rows.flatMap(([name, about]) => [
      span("accent", name),
      ...hang("  ", sanitizeLine(about), columns),
    ]);
  return rows.flatMap(([name, about]) =>
    wrapWords(sanitizeLine(about), room).map((line, index): Line => [
      span("accent", pad(index === 0 ? fit(name, widest) : "", widest + 2)),
      line,
    ]),
  );
}
