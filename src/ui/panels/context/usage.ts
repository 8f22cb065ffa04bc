/** Usage of today, the last days and this project, over all sessions. */

import { counted } from "../../../base/in-words.ts";
import type { Host } from "../host.ts";
import { type Line, span, wrapWords } from "../../line.ts";
import { longWork } from "../../memo.ts";
import { showTokens, showUsd } from "../../transcript/format.ts";
import type { UsageReport } from "../../types.ts";
import { loading } from "../panel.ts";

/** The lines of the section; they are read once, when the panel opens. `stop` ends the reading. */
export function usageSection(host: Host) {
  const stop = new AbortController();
  let message = "Reading the sessions …";
  const progress = longWork(host, (bar, done, of) => {
    message = `${bar} Reading session ${done + 1} of ${of}`;
    host.redraw();
  });
  const report = loading(host, host.services.usage(progress, stop.signal), "");
  return {
    stop: () => stop.abort(),
    lines: (columns: number): Line[] => [
      span("heading", "All sessions, at today's list prices"),
      ...(report.value ? layoutUsage(report.value, columns) : [report.message || message]),
      "",
    ],
  };
}

/** Narrow screens show calls and cost only. */
function layoutUsage({ rows, sessions }: UsageReport, columns: number): Line[] {
  const isWide = columns >= 64;
  const line = (name: string, calls: string, tokens: readonly string[], cost: string): string =>
    name.padEnd(14) +
    calls.padStart(8) +
    (isWide ? tokens.map((count) => count.padStart(11)).join("") : "") +
    cost.padStart(11);
  return [
    span("heading", line("", "calls", ["sent", "from cache", "answers"], "cost")),
    ...rows.map(({ name, calls, sentTokens, cachedTokens, answerTokens, usd, isEstimate }) => {
      const cached = sentTokens === 0 ? 0 : Math.round((cachedTokens / sentTokens) * 100);
      const tokens = [showTokens(sentTokens), `${cached} %`, showTokens(answerTokens)];
      return line(name, calls.toLocaleString("en"), tokens, showUsd(usd, isEstimate));
    }),
    ...wrapWords(
      `${counted(sessions, "session")}. Imported ones and models without a known price count as free.`,
      columns,
    ),
  ];
}
