/** One item of the inspector as a line, and what can be done with the selected ones. Pure. */

import { priceOf } from "../../context/cache.ts";
import { summaryPlan } from "../../context/pipeline.ts";
import type { MeterReading, Row, View } from "../../context/types.ts";
import type { Price } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { showAge, showTokens, showUsd } from "../transcript/format.ts";
import { fit } from "../wrap.ts";
import { dropsOf, type InspectorItem } from "./inspect-items.ts";

/** In fewer columns than this, age and kind are left out. */
const roomy = 70;

export function layoutItem(
  { row, tokens, wholeTokens, kind, state, title, atMs }: InspectorItem,
  isPicked: boolean,
  columns: number,
  nowMs: number,
): string {
  const size =
    row.shown === "whole" ? showTokens(tokens) : `${showTokens(tokens)}/${showTokens(wholeTokens)}`;
  const isRoomy = columns >= roomy;
  const badge = isRoomy ? `${state.padEnd(10)} ` : state === "" ? "" : `${state} `;
  const more = isRoomy ? `${showAge(nowMs - atMs).padStart(4)}  ${kind.padEnd(8)} ` : "";
  const mark = isPicked ? "◉" : " ";
  return fit(`${mark} ${size.padStart(11)}  ${badge}${more}${title}`, columns);
}

type InspectorSelection = { rows: readonly Row[]; current: Row | undefined };

/** What the keys would do with the selected items, each with its price. */
export function actionLines(
  view: View,
  reading: MeterReading,
  rules: ModelRules,
  policy: Policy,
  { rows, current }: InspectorSelection,
): string[] {
  const drops = dropsOf(view, rows);
  const drop = drops.length > 0 ? priceOf(view, reading, drops, rules, policy) : null;
  const summary = (range: { from?: string; to?: string }): Price | null =>
    summaryPlan(view, reading, policy, rules, range)?.price ?? null;
  const named: [string, Price | null][] = [
    [`d drop ${drops.length}`, drop],
    ["s summarize up to here", current ? summary({ to: current.entry.id }) : null],
    ["S summarize from here", current ? summary({ from: current.entry.id }) : null],
  ];
  const lines = named.flatMap(([what, price]) => (price ? [`${what}: ${priceWords(price)}`] : []));
  const hidden = rows.filter(({ by }) => by !== undefined).length;
  return hidden > 0 ? [...lines, `r restore ${hidden}`] : lines;
}

const priceWords = ({ usedBefore, usedAfter, cachedBroken, usd }: Price): string =>
  `frees ${showTokens(usedBefore - usedAfter)} tokens${cachedBroken === 0 ? "" : `, invalidates ${showTokens(cachedBroken)} cached ones`}, ${usd === 0 ? "costs nothing" : `costs ${showUsd(usd)}`}`;
