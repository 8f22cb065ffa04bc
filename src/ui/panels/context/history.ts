/** Chart of context size and cost per call. Pure. */

import type { Entry } from "../../../protocol/entry.ts";
import { callCost, type Prices, usedBy } from "../../../protocol/model.ts";
import { type Line, span } from "../../spans.ts";
import { showTokens, showUsd } from "../../transcript/format.ts";

export type CallPoint = { tokens: number; usd: number; cuts: number };

const chartRows = 8;

const eighths = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

export function callPoints(path: Iterable<Entry>, prices: Prices): CallPoint[] {
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
export function drawHistory(
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
