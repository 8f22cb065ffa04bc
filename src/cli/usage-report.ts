/** What today, the last days and this project cost, over all sessions on this machine. */

import { dirname, join } from "node:path";
import type { Paths } from "../config/paths.ts";
import { billedIn, type Billed } from "../log/usage.ts";
import { isCataloged, rulesOf } from "../model/catalog.ts";
import { costOf } from "../protocol/model.ts";
import type { UsageReport, UsageRow } from "../tui/types.ts";

type ReportOptions = {
  paths: Pick<Paths, "sessions" | "projectSessions">;
  nowMs: number;
  progress(done: number, of: number): void;
  signal: AbortSignal;
};

const dayMs = 86_400_000;

export async function usageReport(options: ReportOptions): Promise<UsageReport> {
  const { paths, nowMs, progress, signal } = options;
  const today = new Date(nowMs).setHours(0, 0, 0, 0);
  const rows = {
    today: emptyRow("Today"),
    week: emptyRow("Last 7 days"),
    month: emptyRow("Last 30 days"),
    project: emptyRow("This project"),
    all: emptyRow("All sessions"),
  };
  const files = await Array.fromAsync(new Bun.Glob("*/*.jsonl").scan(paths.sessions)).catch(
    (): string[] => [],
  );
  // A fork repeats the calls of its original.
  const known = new Set<string>();
  for (const [index, name] of files.entries()) {
    if (signal.aborted) break;
    progress(index, files.length);
    const file = join(paths.sessions, name);
    const isHere = dirname(file) === paths.projectSessions;
    for await (const billed of billedIn(file)) {
      const { atMs, usage } = billed;
      const key = `${atMs} ${usage.input} ${usage.cacheRead} ${usage.output}`;
      if (known.has(key)) continue;
      known.add(key);
      add(rows.all, billed);
      if (isHere) add(rows.project, billed);
      if (atMs >= nowMs - 30 * dayMs) add(rows.month, billed);
      if (atMs >= nowMs - 7 * dayMs) add(rows.week, billed);
      if (atMs >= today) add(rows.today, billed);
    }
  }
  return { rows: Object.values(rows), sessions: files.length };
}

const emptyRow = (name: string): UsageRow => ({
  name,
  calls: 0,
  sentTokens: 0,
  cachedTokens: 0,
  answerTokens: 0,
  usd: 0,
});

function add(row: UsageRow, { model, usage }: Billed): void {
  row.calls++;
  row.sentTokens += usage.input + usage.cacheRead + usage.cacheWrite;
  row.cachedTokens += usage.cacheRead;
  row.answerTokens += usage.output;
  // Other models run on the user's own machine, or have prices that only their server knows.
  if (isCataloged(model)) row.usd += costOf(usage, rulesOf(model).prices);
}
