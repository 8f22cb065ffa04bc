/** What the agent does with the pipeline's plans, without a model: for properties of the pipeline. */

import { measure } from "../../src/context/meter/meter.ts";
import { nextPlan } from "../../src/context/ladder.ts";
import type { Moment, Plan, MeterReading, Signals } from "./types.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import type { Policy } from "../../src/protocol/policy.ts";
import type { Builder } from "./build.ts";
import { prose } from "./sessions.ts";

export const read = (session: Builder, rules: ModelRules, policy: Policy): MeterReading =>
  measure(session.view, rules, policy, session.nowMs);

export const readSignals = (
  session: Builder,
  rules: ModelRules,
  policy: Policy,
  changed: Partial<MeterReading> = {},
): Signals => {
  const reading = { ...read(session, rules, policy), ...changed };
  return { view: session.view, reading, policy, rules };
};

/** Makes the cut of a plan; a summary is a third as long as what it covers. */
export function apply(session: Builder, plan: Plan): void {
  if ("changes" in plan) {
    session.cut(plan.changes, plan.tier, plan.price);
    return;
  }
  const { from, to } = plan.summarize;
  const { rows, indexOf } = session.view;
  const covered = rows.slice(indexOf(from), (indexOf(to) ?? 0) + 1).filter(({ pinned }) => !pinned);
  const chars = covered.reduce((sum, row) => sum + row.chars, 0);
  session.cover(from, to, prose(Math.max(20, Math.min(9_000, chars / 3))));
}

/** Asks and cuts until no more cuts are proposed; returns how many were. Throws when this does not end. */
export function compact(
  session: Builder,
  moment: Moment,
  rules: ModelRules,
  policy: Policy,
  cut: (plan: Plan) => void = (plan) => apply(session, plan),
): number {
  for (let cuts = 0; cuts <= 60; cuts++) {
    const plan = nextPlan(moment, readSignals(session, rules, policy));
    if (!plan) return cuts;
    cut(plan);
  }
  throw new Error("The pipeline has no end.");
}
