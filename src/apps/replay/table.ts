/** The results of many policies in one table. */

import { changesOf, percentOf, type ReplayResult } from "./replay-result.ts";

const columns = [
  "policy",
  "cost",
  "read",
  "write",
  "output",
  "reread",
  "summaries",
  "unfit",
  "(a)",
  "edits",
  "hunks",
  "(b)",
  "(c)",
];

export function table(results: readonly ReplayResult[]): string {
  const rows = [columns, ...results.map(cells)];
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
(c) names, paths and error words in tool inputs that are in view.
`;

function cells(result: ReplayResult): string[] {
  const { policy, usd, readUsd, writeUsd, outputUsd, rereadUsd, summaries, unfit, kept } = result;
  return [
    policy,
    dollars(usd),
    dollars(readUsd),
    dollars(writeUsd),
    dollars(outputUsd),
    dollars(rereadUsd),
    String(summaries),
    String(unfit),
    ...[changesOf(kept), kept.edits, kept.patches, kept.files, kept.words].map(percentOf),
  ];
}

const dollars = (usd: number): string => `$${usd.toFixed(usd < 10 ? 3 : 1)}`;
