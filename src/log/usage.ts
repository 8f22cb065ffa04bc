/** The bills of sessions, read from their logs: all of them, today, and in the last days. */

import { open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { billedFor } from "../protocol/billed.ts";
import type { Entry } from "../protocol/entry.ts";
import { callCost, usedBy, type Prices, type Usage } from "../protocol/model.ts";
import { countTurns, type SessionInfo } from "./catalog.ts";
import { parseLine } from "./parse.ts";

/** A call. */
type BilledCall = { atMs: number; model: string; usage: Usage };

/** Lines that can say what was billed, or which model. Most of a log is results, which are skipped. */
const telling = /"usage":\{|"type":"(?:session|model)"/;

/** The calls of a session; none of an imported one, which another agent paid for. */
async function* readBilled(file: string): AsyncGenerator<BilledCall> {
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

/** How many turns a session has, and what its calls cost in US dollars. */
export async function sessionWork(
  info: Pick<SessionInfo, "file" | "bytes">,
  findPrices: ReportOptions["findPrices"],
): Promise<{ turns: number | null; usd: number }> {
  let usd = 0;
  for await (const { model, usage } of readBilled(info.file)) {
    const prices = findPrices(model);
    if (prices) usd += callCost(usage, prices);
  }
  return { turns: await countTurns(info), usd };
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
  signal: AbortSignal;
};

const dayMs = 86_400_000;

/** The cost of today, the last days and this project, over all sessions on this machine. */
export async function usageReport(options: ReportOptions) {
  const { paths, findPrices, nowMs, signal } = options;
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
  for (const name of files) {
    if (signal.aborted) break;
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

/** The run that asks: its own calls since it began are counted elsewhere. */
type OwnRun = { session: string; sinceMs: number };

type FileCosts = { bytes: number; isOurs: boolean; calls: { atMs: number; usd: number }[] };

/** Cost of other runs, today and in the project. A log is read again only when it has grown. */
export class CostsElsewhere {
  readonly #options: Pick<ReportOptions, "paths" | "findPrices"> & { own: OwnRun };
  readonly #files = new Map<string, FileCosts>();

  constructor(options: Pick<ReportOptions, "paths" | "findPrices"> & { own: OwnRun }) {
    this.#options = options;
  }

  /** In US dollars. */
  async read(nowMs: number): Promise<{ day: number; project: number }> {
    const { paths, own } = this.#options;
    const today = new Date(nowMs).setHours(0, 0, 0, 0);
    const costs = { day: 0, project: 0 };
    const names = new Bun.Glob("*/*.jsonl").scan(paths.sessions);
    for (const name of await Array.fromAsync(names).catch((): string[] => [])) {
      const file = join(paths.sessions, name);
      const isHere = dirname(file) === paths.projectSessions;
      const { size, mtimeMs } = await stat(file).catch(() => ({ size: 0, mtimeMs: 0 }));
      if (size === 0 || (!isHere && mtimeMs < today)) continue;
      const known = this.#files.get(file);
      const read = known?.bytes === size ? known : await this.#read(file, size);
      this.#files.set(file, read);
      for (const { atMs, usd } of read.calls) {
        if (read.isOurs && atMs >= own.sinceMs) continue;
        if (isHere) costs.project += usd;
        if (atMs >= today) costs.day += usd;
      }
    }
    return costs;
  }

  async #read(file: string, bytes: number): Promise<FileCosts> {
    const { findPrices, own } = this.#options;
    const calls: FileCosts["calls"] = [];
    for await (const { atMs, model, usage } of readBilled(file)) {
      const prices = findPrices(model);
      if (prices) calls.push({ atMs, usd: callCost(usage, prices) });
    }
    const [first = ""] = (await Bun.file(file).slice(0, firstLineBytes).text()).split("\n", 1);
    return { bytes, calls, isOurs: first.includes(`"${own.session}"`) };
  }
}

/** Enough for the names in the first line: a subagent's says which session began it. */
const firstLineBytes = 4_096;

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
