/** One item of the inspector as a line, and what the chosen ones are worth. Pure. */

import { priceOf } from "../../context/cache.ts";
import { summaryPlan } from "../../context/pipeline.ts";
import type { MeterReading, Row, View } from "../../context/types.ts";
import type { Price } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { showTokens, showUsd } from "../transcript/format.ts";
import { fit } from "../wrap.ts";
import { showAge } from "./age.ts";
import { dropsOf, type InspectorItem } from "./inspect-items.ts";

/** Narrower than this (columns), age and kind give way to the title. */
const roomy = 70;

export function layoutItem(
  { row, tokens, wholeTokens, kind, state, title, atMs }: InspectorItem,
  isPicked: boolean,
  columns: number,
  nowMs: number,
): string {
  const size =
    row.shown === "whole" ? showTokens(tokens) : `${showTokens(tokens)}/${showTokens(wholeTokens)}`;
  const id = `#${row.entry.id}`;
  const isRoomy = columns >= roomy;
  const badge = isRoomy ? `${state.padEnd(10)} ` : state === "" ? "" : `${state} `;
  const more = isRoomy ? `${showAge(nowMs - atMs).padStart(4)}  ${kind.padEnd(8)} ` : "";
  const mark = isPicked ? "◉" : " ";
  return fit(`${mark} ${size.padStart(11)}  ${id.padEnd(7)} ${badge}${more}${title}`, columns);
}

export type Choice = { rows: readonly Row[]; current: Row | undefined };

/** What can be done with the chosen items, each with its price. */
export function worthLines(
  view: View,
  reading: MeterReading,
  rules: ModelRules,
  policy: Policy,
  { rows, current }: Choice,
): string[] {
  const drops = dropsOf(view, rows);
  const drop = drops.length > 0 ? priceOf(view, reading, drops, rules, policy) : null;
  const summary = (range: { from?: string; to?: string }): Price | null =>
    summaryPlan(view, reading, policy, rules, range)?.price ?? null;
  const named: [string, Price | null][] = [
    [`d drops ${drops.length}`, drop],
    ["s summarises up to here", current ? summary({ to: current.entry.id }) : null],
    ["S summarises from here", current ? summary({ from: current.entry.id }) : null],
  ];
  const lines = named.flatMap(([what, price]) => (price ? [`${what}: ${priceWords(price)}`] : []));
  const hidden = rows.filter(({ by }) => by !== undefined).length;
  return hidden > 0 ? [...lines, `r brings back ${hidden}, in place or at the end`] : lines;
}

const priceWords = ({ usedBefore, usedAfter, cachedBroken, usd }: Price): string =>
  `${showTokens(usedBefore - usedAfter)} freed, ${cachedBroken === 0 ? "no cache broken" : `${showTokens(cachedBroken)} cached broken`}, ${usd === 0 ? "free" : showUsd(usd)}`;
