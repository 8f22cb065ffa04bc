/** Many outcomes in one table. */

import { shareOf, type ReplayResult } from "./replay-result.ts";

const columns = [
  "policy",
  "cost",
  "read",
  "write",
  "output",
  "summaries",
  "unfit",
  "(a)",
  "patch",
  "(b)",
  "(c)",
];

export function table(outcomes: readonly ReplayResult[]): string {
  const rows = [columns, ...outcomes.map(cells)];
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

export const legend = `cost: US dollars, summaries and re-reads included. unfit: calls larger than the window.
(a) edits whose old text is in view. patch: the same of the hunks of patches. (b) files touched again whose newest reading is in view.
(c) names, paths and error words of tool inputs that the view still holds.
`;

function cells(outcome: ReplayResult): string[] {
  const { policy, usd, readUsd, writeUsd, outputUsd, summaries, unfit, kept } = outcome;
  return [
    policy,
    dollars(usd),
    dollars(readUsd),
    dollars(writeUsd),
    dollars(outputUsd),
    String(summaries),
    String(unfit),
    percent(shareOf(kept.edits)),
    percent(shareOf(kept.patches)),
    percent(shareOf(kept.files)),
    percent(shareOf(kept.words)),
  ];
}

const dollars = (usd: number): string => `$${usd.toFixed(usd < 10 ? 3 : 1)}`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
