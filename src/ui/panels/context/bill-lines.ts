/** Cost of a session as lines: by source, by token type, per call. Pure. */

import { counted } from "../../../base/format.ts";
import type { Bill, Charge } from "../../../context/meter/charges.ts";
import type { CostRow, Costs } from "../../../context/meter/costs.ts";
import { sentBy } from "../../../protocol/model.ts";
import { fit, pad, wrapWords } from "../../painted-text.ts";
import { sanitizeLine } from "../../sanitize.ts";
import { type Line, span } from "../../spans.ts";
import { showTokens, showUsd } from "../../transcript/format.ts";

/** One row per source. */
export function layoutSources({ subagents, mcp_servers, skills }: Costs): Line[] {
  const rows = (kind: string, of: readonly CostRow[]): string[] =>
    of.map(({ name, calls, tokens, usd, is_estimate }) => {
      const label = pad(fit(sanitizeLine(`${kind} ${name}`), nameWidth), nameWidth);
      const called = counted(calls, "call").padStart(10);
      return `${label}${called}${showTokens(tokens).padStart(8)}${showUsd(usd, is_estimate).padStart(10)}`;
    });
  const lines = [
    ...rows("subagent", subagents),
    ...rows("server", mcp_servers),
    ...rows("skill", skills),
  ];
  return lines.length === 0 ? [] : [...lines, ""];
}

const nameWidth = 28;

/** Totals over all calls. Pure. */
export function layoutBill(bill: Bill, columns: number): Line[] {
  const { usage, by, cuts, usd, isEstimate } = bill;
  const isPriced = usd > 0;
  const isCached = usage.cacheRead + usage.cacheWrite > 0;
  const part = (name: string, tokens: number, cost: number): string =>
    `${name.padEnd(16)} ${showTokens(tokens).padStart(8)}${isPriced ? showUsd(cost, isEstimate).padStart(10) : ""}`;
  const broken =
    cuts.brokenTokens === 0 ? "" : `; ${showTokens(cuts.brokenTokens)} had to be cached again`;
  const cutLine = `${counted(cuts.made, "compaction")} freed ${showTokens(cuts.freedTokens)} tokens${broken}.`;
  return [
    part(isCached ? "uncached" : "sent", usage.input, by.input),
    ...(isCached
      ? [
          part("cache written", usage.cacheWrite, by.cacheWrite),
          part("cache read", usage.cacheRead, by.cacheRead),
        ]
      : []),
    part("answers", usage.output, by.output),
    ...(isCached
      ? [`${share(usage.cacheRead, sentBy(usage))} of the input came from the cache.`]
      : []),
    ...(cuts.made === 0 ? [] : wrapWords(cutLine, columns)),
  ];
}

/** Table of calls, newest first, with the columns that have data and fit. Pure. */
export function callTable({ usage, usd, charges }: Bill, columns: number): Line[] {
  const shown = { columns, isPriced: usd > 0, isCached: usage.cacheRead + usage.cacheWrite > 0 };
  return chargeTable(charges.toReversed(), shown);
}

function chargeTable(
  charges: readonly Charge[],
  shown: { columns: number; isPriced: boolean; isCached: boolean },
): Line[] {
  const { columns, isPriced, isCached } = shown;
  const isRoomy = columns >= 60;
  const all: [title: string, width: number, isShown: boolean, cell: (of: Charge) => string][] = [
    ["sent", 8, true, ({ usage }) => showTokens(sentBy(usage))],
    ["cached", 8, isCached && isRoomy, ({ usage }) => share(usage.cacheRead, sentBy(usage))],
    ["answer", 8, isRoomy || !isPriced, ({ usage }) => showTokens(usage.output)],
    ["cost", 10, isPriced, ({ usd, isEstimate }) => showUsd(usd, isEstimate)],
  ];
  const table = all.filter(([, , isShown]) => isShown);
  const row = (cells: readonly string[], name: string): string =>
    cells.map((cell, at) => cell.padStart(table[at]?.[1] ?? 0)).join("") +
    (isRoomy ? `  ${name}` : "");
  const titles = table.map(([title]) => title);
  return [
    span("heading", row(titles, "call")),
    ...charges.map((charge) => {
      const { what, model } = charge;
      const name = sanitizeLine(what === "call" ? model : `${what}, ${model}`);
      const cells = table.map(([, , , cell]) => cell(charge));
      return row(cells, name);
    }),
  ];
}

/** "98 %" */
const share = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((part / whole) * 100)} %`;
