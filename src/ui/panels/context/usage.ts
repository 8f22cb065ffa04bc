/** Usage of today, the last days and this project, over all sessions. */

import { useEffect, useState } from "react";
import { counted } from "../../../base/format.ts";
import { longWork } from "../../memo.ts";
import { wrapWords } from "../../painted-text.ts";
import { useServices, useSource } from "../../screen-context.ts";
import { type Line, span } from "../../spans.ts";
import { showTokens, showUsd } from "../../transcript/format.ts";
import type { UsageReport } from "../../types.ts";
import { useLoading } from "../use-loading.ts";

/** The lines of the section; reads the sessions once per open panel. */
export function useUsage(columns: number): Line[] {
  const { store } = useSource().screen;
  const { usage } = useServices();
  const [message, say] = useState("Reading the sessions …");
  const [closing] = useState(() => new AbortController());
  useEffect(() => () => closing.abort(), [closing]);
  const report = useLoading(() => {
    const progress = longWork(store, (bar, done, of) => {
      say(`${bar} Reading session ${done + 1} of ${of}`);
      store.redraw();
    });
    return usage(progress, closing.signal);
  }, "");
  return [
    span("heading", "All sessions, at today's list prices"),
    ...(report.value ? layoutUsage(report.value, columns) : [report.message || message]),
    "",
  ];
}

/** Narrow terminals show only calls and cost. */
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
