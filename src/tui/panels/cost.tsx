import { useMemo } from "react";
import { estimatedCost } from "../../context/estimate-cost.ts";
import { itemsOf } from "../list.ts";
import { sanitiseLine } from "../sanitise.ts";
import type { Theme } from "../theme.ts";
import { showTokens, showUsd } from "../transcript/format.ts";
import type { PanelProps } from "../types.ts";
import { billOf, type Bill, type Charge } from "./bill.ts";
import { Frame } from "./frame.tsx";
import { useScrolling } from "./scrolling.ts";

/** Columns from which on there is room for what was foretold of each call. */
const wide = 84;

/** What the session cost: by kind of token, and call by call, newest first. */
export function CostPanel({ state, rules, options, theme, columns, rows }: PanelProps) {
  const { policy } = options;
  const bill = useMemo(() => {
    const path = [...itemsOf(state.path)];
    return billOf(path, rules.prices, estimatedCost(path, rules, policy));
  }, [state.path, rules, policy]);
  const lines = useMemo(() => layoutBill(bill, columns, theme), [bill, columns, theme]);
  const from = useScrolling(lines.length, rows);
  return (
    <Frame
      title={`Cost: ${showUsd(bill.usd)} in ${bill.charges.length} calls`}
      hint="At the prices of the model that is asked now · Esc closes"
      lines={lines}
      from={from}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}

/** Pure. A narrow screen shows only what a call read and what it cost. */
export function layoutBill(bill: Bill, columns: number, theme: Theme): string[] {
  const { usage, by, cuts } = bill;
  const part = (name: string, tokens: number, usd: number): string =>
    `${name.padEnd(16)} ${showTokens(tokens).padStart(8)} ${showUsd(usd).padStart(9)}`;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const cached = prompt === 0 ? 0 : Math.round((usage.cacheRead / prompt) * 100);
  return [
    part("uncached", usage.input, by.input),
    part("cache written", usage.cacheWrite, by.cacheWrite),
    part("cache read", usage.cacheRead, by.cacheRead),
    part("answers", usage.output, by.output),
    `${cached} % of what was sent came from the cache.`,
    ...foretoldLine(bill),
    ...(cuts.made === 0
      ? []
      : [
          `${cuts.made} ${cuts.made === 1 ? "cut" : "cuts"} freed ${showTokens(cuts.freedTokens)} tokens and broke ${showTokens(cuts.brokenTokens)} cached ones.`,
        ]),
    "",
    theme.paint(
      "heading",
      columns < 60
        ? "Calls: sent, cost"
        : `Calls: sent, from the cache, answer, cost${columns < wide ? "" : " (prompt: foretold, billed)"}`,
    ),
    ...bill.charges.toReversed().map((charge) => layoutCharge(charge, columns)),
  ];
}

/** Prompts as they were foretold and as they were billed; the first call of a session is a guess. */
function foretoldLine({ charges }: Bill): string[] {
  const prompts = charges.flatMap(({ prompt }) => (prompt ? [prompt] : [])).slice(1);
  const foretoldUsd = prompts.reduce((sum, one) => sum + one.foretoldUsd, 0);
  const billedUsd = prompts.reduce((sum, one) => sum + one.billedUsd, 0);
  if (billedUsd === 0) return [];
  const apart = ((foretoldUsd / billedUsd - 1) * 100).toFixed(1);
  return [
    `Prompts after the first: foretold ${showUsd(foretoldUsd)}, billed ${showUsd(billedUsd)} (${Number(apart) > 0 ? "+" : ""}${apart} %).`,
  ];
}

const toldOf = (prompt: Charge["prompt"]): string =>
  prompt ? `${showUsd(prompt.foretoldUsd)}, ${showUsd(prompt.billedUsd)}` : "";

function layoutCharge({ entry, what, model, usage, usd, prompt }: Charge, columns: number): string {
  const sent = usage.input + usage.cacheRead + usage.cacheWrite;
  const id = `#${entry}`.padEnd(7);
  const price = showUsd(usd).padStart(9);
  if (columns < 60) return `${id} ${showTokens(sent).padStart(7)} ${price}`;
  const cached = sent === 0 ? 0 : Math.round((usage.cacheRead / sent) * 100);
  const name = what === "summary" ? `summary, ${model}` : model;
  const told = columns < wide ? "" : `${toldOf(prompt).padEnd(18)} `;
  return `${id} ${showTokens(sent).padStart(7)} ${`${cached} %`.padStart(6)} ${showTokens(usage.output).padStart(7)} ${price}  ${told}${sanitiseLine(name)}`;
}
