/** The results of many policies in one table. */

import { sumChanges, toPercent, type ReplayResult } from "./replay-result.ts";

type Row = ReplayResult & { policy: string };

const columns: readonly [name: string, cell: (row: Row) => string][] = [
  ["policy", ({ policy }) => policy],
  ["cost", ({ usd }) => dollars(usd)],
  ["read", ({ readUsd }) => dollars(readUsd)],
  ["write", ({ writeUsd }) => dollars(writeUsd)],
  ["output", ({ outputUsd }) => dollars(outputUsd)],
  ["reread", ({ rereadUsd }) => dollars(rereadUsd)],
  ["summaries", ({ summaries }) => String(summaries)],
  ["unfit", ({ unfit }) => String(unfit)],
  ["(a)", ({ kept }) => toPercent(sumChanges(kept))],
  ["edits", ({ kept }) => toPercent(kept.edits)],
  ["hunks", ({ kept }) => toPercent(kept.patches)],
  ["(b)", ({ kept }) => toPercent(kept.files)],
  ["(c)", ({ kept }) => toPercent(kept.words)],
  ["derivable", ({ kept }) => toPercent(kept.derivable)],
  ["rules", ({ kept }) => toPercent(kept.rules)],
  ["messages", ({ kept }) => toPercent(kept.messages)],
];

export function table(results: readonly Row[]): string {
  const names = columns.map(([name]) => name);
  const rows = [names, ...results.map((result) => columns.map(([, cell]) => cell(result)))];
  const widths = columns.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  "),
    )
    .join("\n");
}

export const legend = `cost: US dollars, including summaries and what had to be read again (reread). unfit: calls larger than the window.
(a) edits and hunks of patches whose old text is in view; (b) files used again whose newest reading is in view;
(c) names, paths and error words in tool inputs that are in view. derivable: calls all of whose old texts and
names are in view; rules, messages: standing instructions and messages of the user in view, over all calls.
`;

const dollars = (usd: number): string => `$${usd.toFixed(usd < 10 ? 3 : 1)}`;
