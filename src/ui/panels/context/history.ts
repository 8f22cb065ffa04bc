/** The size of the context over the calls of the session, with compactions and cost. */

import { counted } from "../../../base/in-words.ts";
import type { Entry } from "../../../protocol/entry.ts";
import { costOf, usedBy, type Prices } from "../../../protocol/model.ts";
import type { Host } from "../../host.ts";
import { span, type Line } from "../../line.ts";
import { Memo } from "../../memo.ts";
import { showTokens, showUsd } from "../../transcript/format.ts";
import type { PanelModel } from "../panel.ts";
import { readerPanel, textContent } from "../reader-panel.ts";

/** One call: tokens in use after it, its price, and the compactions since the call before it. */
type CallPoint = { tokens: number; usd: number; cuts: number };

const chartRows = 8;

const eighths = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

export function historyPanel(host: Host): PanelModel {
  const points = new Memo<CallPoint[]>();
  return readerPanel({
    content(columns) {
      const { state, rules } = host;
      const all = points.get([state.path, rules], () => callPoints(state.path, rules.prices));
      const title = `History: ${counted(all.length, "call")}`;
      return textContent(title, "Tab next view · Esc close", drawHistory(all, columns));
    },
  });
}

function callPoints(path: Iterable<Entry>, prices: Prices): CallPoint[] {
  const points: CallPoint[] = [];
  let cuts = 0;
  for (const entry of path) {
    if (entry.type === "cut") cuts++;
    if (entry.type !== "assistant" || entry.stop === "failed") continue;
    points.push({ tokens: usedBy(entry.usage), usd: costOf(entry.usage, prices), cuts });
    cuts = 0;
  }
  return points;
}

/** Neighboring calls share a column where there are more calls than columns. Pure. */
function drawHistory(points: readonly CallPoint[], columns: number): Line[] {
  if (points.length === 0) return ["No calls yet."];
  const labels = 8;
  const groups = grouped(points, Math.max(1, columns - labels));
  const most = Math.max(1, ...groups.map(({ tokens }) => tokens));
  const maxUsd = Math.max(...groups.map(({ usd }) => usd));
  const chart = Array.from({ length: chartRows }, (_, index) => {
    const row = chartRows - 1 - index;
    const cells = groups.map(({ tokens }) => block((tokens / most) * chartRows - row));
    const label = index === 0 ? showTokens(most) : row === 0 ? "0" : "";
    return [span("dim", label.padStart(labels - 2)), "  ", span("accent", cells.join(""))];
  });
  const notches = groups.map(({ cuts }) => (cuts > 0 ? "✂" : " ")).join("");
  const costs = groups.map(({ usd }) => block(usd / maxUsd)).join("");
  return [
    span("heading", "Tokens in the context after each call"),
    ...chart,
    ...(notches.trim() === "" ? [] : [[" ".repeat(labels), span("boundary", notches)]]),
    ...(maxUsd === 0
      ? []
      : [
          "",
          span("heading", `Cost of each call, maximum ${showUsd(maxUsd)}`),
          [" ".repeat(labels), span("warning", costs)],
        ]),
  ];
}

/** A block filled from the bottom by `share` of its height. */
const block = (share: number): string =>
  eighths[Math.round(Math.max(0, Math.min(1, share)) * (eighths.length - 1))] ?? " ";

function grouped(points: readonly CallPoint[], columns: number): CallPoint[] {
  const size = Math.ceil(points.length / columns);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
    points.slice(index * size, (index + 1) * size).reduce((all, one) => ({
      tokens: Math.max(all.tokens, one.tokens),
      usd: all.usd + one.usd,
      cuts: all.cuts + one.cuts,
    })),
  );
}
