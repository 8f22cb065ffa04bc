import { type ReactNode, useEffect, useMemo, useState } from "react";
import { counted } from "../../../base/format.ts";
import { type Bill, type Charge, followBill } from "../../../context/meter/charges.ts";
import { type Costs, costsBySource } from "../../../context/meter/costs.ts";
import type { Entry } from "../../../protocol/entry.ts";
import { callCost, type Prices, sentBy, usedBy } from "../../../protocol/model.ts";
import { fit, pad, wrapWords } from "../../painted-text.ts";
import { sanitizeLine } from "../../sanitize.ts";
import { useServices, useStore } from "../../screen-context.ts";
import { type Line, span } from "../../spans.ts";
import { showTokens, showUsd } from "../../transcript/format.ts";
import type { UsageReport } from "../../types.ts";
import { usePanelSize } from "../panel-box.tsx";
import { TextPanel } from "../text-panel.tsx";
import { useLoading } from "../use-loading.ts";
import { useTabs } from "./tabs.ts";

const minUsd = 0.00005;

const estimated =
  "The prices of this model are estimates; models.json takes the true ones: /help cost.";

/** Cost panel: chart, cost by source, other sessions, calls. */
export function CostPanel(): ReactNode {
  const { state, view, reading, rules } = useStore();
  const { columns } = usePanelSize();
  const { usage } = useServices();
  const tabs = useTabs("cost");
  const [closing] = useState(() => new AbortController());
  useEffect(() => () => closing.abort(), [closing]);
  const all = useLoading(() => usage(closing.signal), "Reading the sessions …");
  const follow = useMemo(() => followBill(view, rules), [view.path, rules]);
  const sources = useMemo(() => costsBySource(view.path, rules), [view, view.version, rules]);
  const points = useMemo(() => callPoints(state.path, rules.prices), [state.path, rules]);
  const bill = follow();
  const { session: usd, isEstimate } = reading.cost;
  const elsewhere = usd - bill.usd;
  const calls = counted(bill.charges.length, "call");
  const total = usd === 0 ? `${calls}, without a price` : `${showUsd(usd, isEstimate)} in ${calls}`;
  const other = `${showUsd(elsewhere, isEstimate)} of it for subagents, web searches and abandoned branches.`;
  return (
    <TextPanel
      tabs={tabs}
      title={`Cost: ${total}`}
      hint="Tab next view · Esc close"
      lines={[
        ...drawHistory(points, columns, rules.prices.areEstimates),
        ...(elsewhere > minUsd ? [other] : []),
        ...(isEstimate ? [estimated] : []),
        ...sourceLines(sources),
        ...billLines(bill, columns),
        "",
        span("heading", "All sessions, at today's list prices"),
        ...(all.value ? usageLines(all.value, columns) : [all.message]),
        "",
        ...callLines(bill, columns),
      ]}
    />
  );
}

/** One row per source. */
function sourceLines({ subagents, mcp_servers, skills }: Costs): Line[] {
  const sources = { subagent: subagents, server: mcp_servers, skill: skills };
  const lines = Object.entries(sources).flatMap(([kind, rows]) =>
    rows.map(({ name, calls, tokens, usd, is_estimate }) => {
      const label = pad(fit(sanitizeLine(`${kind} ${name}`), 28), 28);
      const called = counted(calls, "call").padStart(10);
      return `${label}${called}${showTokens(tokens).padStart(8)}${showUsd(usd, is_estimate).padStart(10)}`;
    }),
  );
  return lines.length === 0 ? [] : [...lines, ""];
}

/** Totals over all calls. */
function billLines({ usage, by, cuts, usd, isEstimate }: Bill, columns: number): Line[] {
  const isCached = usage.cacheRead + usage.cacheWrite > 0;
  const part = (name: string, tokens: number, cost: number): string =>
    `${name.padEnd(16)} ${showTokens(tokens).padStart(8)}${usd > 0 ? showUsd(cost, isEstimate).padStart(10) : ""}`;
  const broken =
    cuts.brokenTokens === 0 ? "" : `; ${showTokens(cuts.brokenTokens)} had to be cached again`;
  const cutLine = `${counted(cuts.made, "compaction")} freed ${showTokens(cuts.freedTokens)} tokens${broken}.`;
  return [
    part(isCached ? "uncached" : "sent", usage.input, by.input),
    ...(isCached ? [part("cache written", usage.cacheWrite, by.cacheWrite)] : []),
    ...(isCached ? [part("cache read", usage.cacheRead, by.cacheRead)] : []),
    part("answers", usage.output, by.output),
    ...(isCached
      ? [`${share(usage.cacheRead, sentBy(usage))} of the input came from the cache.`]
      : []),
    ...(cuts.made === 0 ? [] : wrapWords(cutLine, columns)),
  ];
}

/** Narrow terminals show only calls and cost. */
function usageLines({ rows, sessions }: UsageReport, columns: number): Line[] {
  const line = (name: string, calls: string, tokens: readonly string[], cost: string): string => {
    const counts = tokens.map((count) => count.padStart(11)).join("");
    return `${name.padEnd(14)}${calls.padStart(8)}${columns >= 64 ? counts : ""}${cost.padStart(11)}`;
  };
  const about = `${counted(sessions, "session")}. Imported ones and models without a known price count as free.`;
  return [
    span("heading", line("", "calls", ["sent", "from cache", "answers"], "cost")),
    ...rows.map(({ name, calls, sentTokens, cachedTokens, answerTokens, usd, isEstimate }) => {
      const cached = share(cachedTokens, sentTokens);
      const tokens = [showTokens(sentTokens), cached, showTokens(answerTokens)];
      return line(name, calls.toLocaleString("en"), tokens, showUsd(usd, isEstimate));
    }),
    ...wrapWords(about, columns),
  ];
}

/** Table of calls, newest first, with the columns that have data and fit. */
function callLines({ usage, usd, charges }: Bill, columns: number): Line[] {
  const isPriced = usd > 0;
  const isCached = usage.cacheRead + usage.cacheWrite > 0;
  const isRoomy = columns >= 60;
  const row = (sent: string, cached: string, answer: string, cost: string, name: string): string =>
    sent.padStart(8) +
    (isCached && isRoomy ? cached.padStart(8) : "") +
    (isRoomy || !isPriced ? answer.padStart(8) : "") +
    (isPriced ? cost.padStart(10) : "") +
    (isRoomy ? `  ${name}` : "");
  const describe = ({ usage: of, usd: cost, isEstimate, what, model }: Charge): string =>
    row(
      showTokens(sentBy(of)),
      share(of.cacheRead, sentBy(of)),
      showTokens(of.output),
      showUsd(cost, isEstimate),
      sanitizeLine(what === "call" ? model : `${what}, ${model}`),
    );
  return [
    span("heading", row("sent", "cached", "answer", "cost", "call")),
    ...charges.toReversed().map(describe),
  ];
}

/** "98 %" */
const share = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((part / whole) * 100)} %`;

type CallPoint = { tokens: number; usd: number; cuts: number };

const chartRows = 8;

const eighths = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** Context size and cost per call, and the cuts before it. */
function callPoints(path: Iterable<Entry>, prices: Prices): CallPoint[] {
  const points: CallPoint[] = [];
  let cuts = 0;
  for (const entry of path) {
    if (entry.type === "cut") cuts++;
    if (entry.type !== "assistant" || entry.stop === "failed") continue;
    points.push({ tokens: usedBy(entry.usage), usd: callCost(entry.usage, prices), cuts });
    cuts = 0;
  }
  return points;
}

/** Neighboring calls share a column if there are more calls than columns. */
function drawHistory(
  points: readonly CallPoint[],
  columns: number,
  isEstimate: boolean | undefined,
): Line[] {
  if (points.length === 0) return [];
  const labels = 8;
  const room = Math.max(1, columns - labels);
  const groups = grouped(points, room);
  // Stretch a few calls over a wide screen.
  const each = Math.max(1, Math.min(6, Math.floor(room / groups.length)));
  const most = Math.max(1, ...groups.map(({ tokens }) => tokens));
  const maxUsd = Math.max(...groups.map(({ usd }) => usd));
  const chart = Array.from({ length: chartRows }, (_, index) => {
    const row = chartRows - 1 - index;
    const cells = groups.map(({ tokens }) => block((tokens / most) * chartRows - row).repeat(each));
    const label = index === 0 ? showTokens(most) : row === 0 ? "0" : "";
    return [span("dim", label.padStart(labels - 2)), "  ", span("accent", cells.join(""))];
  });
  const notches = groups.map(({ cuts }) => (cuts > 0 ? "✂" : " ").padEnd(each)).join("");
  const costs = groups.map(({ usd }) => block(usd / maxUsd).repeat(each)).join("");
  return [
    span("heading", "Tokens in the context after each call"),
    ...chart,
    ...(notches.trim() === "" ? [] : [[" ".repeat(labels), span("boundary", notches)]]),
    ...(maxUsd === 0
      ? []
      : [
          "",
          span("heading", `Cost of each call, maximum ${showUsd(maxUsd, isEstimate)}`),
          [" ".repeat(labels), span("warning", costs)],
        ]),
    "",
  ];
}

const block = (share: number): string =>
  eighths[Math.round(Math.max(0, Math.min(1, share)) * (eighths.length - 1))] ?? " ";

function grouped(points: readonly CallPoint[], columns: number): CallPoint[] {
  const size = Math.ceil(points.length / columns);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
    points.slice(index * size, (index + 1) * size).reduce((all, point) => ({
      tokens: Math.max(all.tokens, point.tokens),
      usd: all.usd + point.usd,
      cuts: all.cuts + point.cuts,
    })),
  );
}
