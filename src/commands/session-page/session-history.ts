import { measure } from "../../context/meter/meter.ts";
import type { MeterReading, Row } from "../../context/types.ts";
import { Projection } from "../../context/view/view.ts";
import { lookUpRules } from "../../model/catalog.ts";
import type { Entry } from "../../protocol/entry.ts";
import { costOf } from "../../protocol/model.ts";
import { defaultPolicy } from "../../protocol/policy.ts";

/** Groups of the context, from the bottom of the chart to its top. */
export const contextGroups = ["system", "user", "answers", "results", "summary"] as const;

/** A row that is not sent whole in the end: the row of the cut that took it, and what replaces it. */
export type HiddenRow = { by: number; how: "shortened" | "summarized"; text: string };

/** How the context of a session grew and was cut. Rows are positions of entries on the path. */
export type SessionHistory = {
  /** By call of the model, the tokens of each of `contextGroups`. */
  calls: number[][];
  /** US dollars, of all calls. */
  usd: number;
  /** By row of the cut: the calls before it, and the rows that it took out of view. */
  cuts: ReadonlyMap<number, { call: number; took: number[] }>;
  hidden: ReadonlyMap<number, HiddenRow>;
};

/** Follows a session entry by entry. */
export function followSession(path: readonly Entry[]): SessionHistory {
  const projection = new Projection();
  const calls: number[][] = [];
  const cuts = new Map<number, { call: number; took: number[] }>();
  const hidden = new Map<number, HiddenRow>();
  let usd = 0;
  for (const [at, entry] of path.entries()) {
    if (entry.type === "assistant" && entry.stop !== "failed") {
      const rules = lookUpRules(entry.model);
      calls.push(groupsOf(measure(projection.view, rules, defaultPolicy, Date.parse(entry.at))));
      usd += costOf(entry.usage, rules.prices);
    }
    projection.push(entry);
    if (entry.type !== "cut" && entry.type !== "restore") continue;
    const took = updateHidden(projection.view.rows, hidden, at);
    if (entry.type === "cut") cuts.set(at, { call: calls.length, took });
  }
  return { calls, usd, cuts, hidden };
}

/** Returns the rows that are no longer sent as they were before the cut in row `by`. */
function updateHidden(rows: readonly Row[], hidden: Map<number, HiddenRow>, by: number): number[] {
  const changed: number[] = [];
  for (const [at, { shown, text = "" }] of rows.entries()) {
    if (shown === "unsent") continue;
    const how = shown === "replaced" ? "shortened" : shown === "covered" ? "summarized" : null;
    const before = hidden.get(at);
    if (how === null) hidden.delete(at);
    else if (before?.how !== how || before.text !== text) {
      hidden.set(at, { by, how, text });
      changed.push(at);
    }
  }
  return changed;
}

const groupsOf = ({ breakdown: by }: MeterReading): number[] => [
  Math.round(by.system + by.tools + by.instructions),
  Math.round(by.user),
  Math.round(by.assistant + by.thinking + by.toolInputs),
  Math.round(by.toolResults),
  Math.round(by.summary),
];
