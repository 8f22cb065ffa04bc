/**
 * How often the forecast of the next turn's start comes true, over recorded sessions:
 * `bun test/bench/forecast.ts FOLDER [WINDOWS]`. Nothing is sent or written; exits with 1 on a miss.
 */

import { forecast } from "../../src/context/forecast.ts";
import { measure } from "../../src/context/meter.ts";
import { Projection } from "../../src/context/view.ts";
import type { View } from "../../src/context/types.ts";
import { dependenciesOf } from "../../src/apps/replay/dependencies.ts";
import { findRecordings, readRecording } from "../../src/apps/replay/load.ts";
import type { ReplayPolicy } from "../../src/apps/replay/policy.ts";
import { policies } from "../../src/apps/replay/replay.ts";
import { simulate } from "../../src/apps/replay/simulate.ts";
import { rulesOf } from "../../src/model/catalog.ts";

const [folder = "", windows = "60000,200000,1000000"] = process.argv.slice(2);

/** Tokens that rounding may move a size by. */
const slack = 4;
let turns = 0;
let fired = 0;
const misses: string[] = [];

/** The path before the message that began the turn, and what came with it. */
function beforeMessage({ rows }: View): Projection {
  const last = rows.findLastIndex(({ entry }) => entry.type !== "user" && entry.type !== "context");
  return new Projection(rows.slice(0, last + 1).map(({ entry }) => entry));
}

/** The policy, checked against its forecast at the first question of every turn. */
function checked(policy: ReplayPolicy, session: string): ReplayPolicy {
  let asked: string | null = null;
  return {
    ...policy,
    plan(moment, view, reading, rules) {
      const plan = policy.plan(moment, view, reading, rules);
      const message = view.rows.findLast(({ entry }) => entry.type === "user")?.entry.id ?? null;
      if (moment !== "turnStart" || message === asked || view.calls === 0) return plan;
      asked = message;
      const nowMs = (view.anchor?.atMs ?? 0) + (reading.idleMs ?? 0);
      const before = beforeMessage(view).view;
      const { bySize } = forecast(before, rules, policy.numbers, nowMs);
      const { usedTokens } = measure(before, rules, policy.numbers, nowMs);
      const isDue = bySize !== null && bySize.atTokens <= Math.max(usedTokens, reading.usedTokens);
      const isClose = bySize !== null && Math.abs(bySize.atTokens - reading.usedTokens) <= slack;
      turns++;
      if (plan) fired++;
      const isRight = isClose || (isDue ? bySize.tier : null) === (plan?.tier ?? null);
      if (!isRight)
        misses.push(
          `${session} ${policy.name} ${message}: ${bySize?.tier} at ${bySize?.atTokens} forecast, ${plan?.reason ?? "nothing"} at ${reading.usedTokens}`,
        );
      return plan;
    },
  };
}

for (const path of await findRecordings(folder)) {
  const recording = await readRecording(path);
  const needs = dependenciesOf({ ...recording, calls: [] });
  for (const windowTokens of windows.split(",").map(Number)) {
    const rules = { ...rulesOf("claude-sonnet-5-5"), windowTokens };
    for (const name of ["keep", "balanced", "save", "thresholds"] as const)
      simulate(recording, needs, checked(policies[name], recording.name), {
        rules,
        overheadTokens: 15_000,
        ttl: null,
      });
  }
}
console.log(`${turns} turns, ${fired} began with a cut, ${misses.length} not as forecast`);
for (const miss of misses.slice(0, 20)) console.log(miss);
process.exit(misses.length > 0 ? 1 : 0);
