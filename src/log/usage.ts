/** The bills of sessions, read from their logs: all of them, today, and in the last days. */

import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { billedFor } from "../protocol/billed.ts";
import type { Entry } from "../protocol/entry.ts";
import { callCost, usedBy, type Prices, type Usage } from "../protocol/model.ts";
import type { Progress } from "../base/long-work.ts";
import { parseLine } from "./parse.ts";

/** A call. */
type BilledCall = { atMs: number; model: string; usage: Usage };

/** Lines that can say what was billed, or which model. Most of a log is results, which are skipped. */
const telling = /"usage":\{|"type":"(?:session|model)"/;

/** The calls of a session; none of an imported one, which another agent paid for. */
export async function* readBilled(file: string): AsyncGenerator<BilledCall> {
  await using log = await open(file);
  let model = "";
  for await (const line of log.readLines()) {
    if (!telling.test(line)) continue;
    const { entry } = parseLine(line);
    if (!entry) continue;
    if (entry.type === "session" && entry.imported) return;
    model = pickModel(entry) ?? model;
    const usage = billedFor(entry);
    const atMs = Date.parse(entry.at);
    if (usage && usedBy(usage) > 0) yield { atMs, model, usage };
    // A subagent's calls are in its own session.
    if ("spent" in entry && entry.spent)
      yield { atMs, model: entry.spent.model, usage: entry.spent.usage };
  }
}

const pickModel = (entry: Entry): string | undefined =>
  entry.type === "session" || entry.type === "model" || entry.type === "assistant"
    ? entry.model
    : undefined;

type ReportOptions = {
  /** The folders of all sessions, and of those of this project. */
  paths: { sessions: string; projectSessions: string };
  /** Null: a model on the user's own machine, or one whose prices only its server knows. */
  findPrices(model: string): Prices | null;
  nowMs: number;
  progress: Progress;
  signal: AbortSignal;
};

const dayMs = 86_400_000;

/** The cost of today, the last days and this project, over all sessions on this machine. */
export async function usageReport(options: ReportOptions) {
  const { paths, findPrices, nowMs, progress, signal } = options;
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
    progress(index, files.length, name);
    const file = join(paths.sessions, name);
    const isHere = dirname(file) === paths.projectSessions;
    for await (const { atMs, model, usage } of readBilled(file)) {
      const key = `${atMs} ${model} ${usage.input} ${usage.cacheRead} ${usage.output}`;
      if (known.has(key)) continue;
      known.add(key);
      const applying = [
        rows.all,
        ...(isHere ? [rows.project] : []),
        ...(atMs >= nowMs - 30 * dayMs ? [rows.month] : []),
        ...(atMs >= nowMs - 7 * dayMs ? [rows.week] : []),
        ...(atMs >= today ? [rows.today] : []),
      ];
      for (const row of applying) add(row, usage, findPrices(model));
    }
  }
  return { rows: Object.values(rows), sessions: files.length };
}

const emptyRow = (name: string) => ({
  name,
  calls: 0,
  sentTokens: 0,
  cachedTokens: 0,
  answerTokens: 0,
  usd: 0,
  isEstimate: false,
});

function add(row: ReturnType<typeof emptyRow>, usage: Usage, prices: Prices | null): void {
  row.calls++;
  row.sentTokens += usage.input + usage.cacheRead + usage.cacheWrite;
  row.cachedTokens += usage.cacheRead;
  row.answerTokens += usage.output;
  if (!prices) return;
  row.usd += callCost(usage, prices);
  row.isEstimate ||= prices.areEstimates ?? false;
}
