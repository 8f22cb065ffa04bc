/**
 * How often the forecast of the next turn's start comes true, over recorded sessions, with the message
 * as a draft:
 * `bun test/lab/bench/forecast.ts FOLDER [WINDOWS]`. Nothing is sent or written; exits with 1 on a miss.
 */

import { forecast, nextUp } from "../../../src/context/forecast.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { Projection } from "../../../src/context/view/view.ts";
import type { View } from "../../../src/context/types.ts";
import { findDependencies } from "../dependencies.ts";
import { findRecordings, readRecording } from "../load.ts";
import type { ReplayPolicy } from "../policy.ts";
import { policies, type PolicyName } from "../policies.ts";
import { simulate } from "../simulate.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { lookUpRules } from "../../../src/model/catalog.ts";

const [folder = "", windows = "60000,200000,1000000"] = process.argv.slice(2);

let turns = 0;
let fired = 0;
const misses: string[] = [];

/** The view before the message that began the turn, and before the context that came with it. */
function beforeMessage({ path }: View): Projection {
  const last = path.findLastIndex(({ type }) => type !== "user" && type !== "context");
  return new Projection(path.slice(0, last + 1));
}

/** Stale thinking, which the next message removes. */
function removedTokens(before: View, used: (view: View) => number): number {
  if (!before.staleThinking || before.midLoop) return 0;
  const message: Entry = { id: "next", parent: before.head, at: "", type: "user", content: [] };
  return used(before) - used(new Projection([...before.path, message]).view);
}

/** The policy, checked against its forecast at the first question of every turn. */
function checked(name: PolicyName, session: string): ReplayPolicy {
  const policy: ReplayPolicy = policies[name];
  let asked: string | null = null;
  return {
    ...policy,
    plan(now) {
      const { moment, view, reading, rules } = now;
      const plan = policy.plan(now);
      const message = view.rows.findLast(({ entry }) => entry.type === "user")?.entry.id ?? null;
      if (moment !== "turnStart" || message === asked || view.calls === 0) return plan;
      asked = message;
      const nowMs = (view.anchor?.atMs ?? 0) + (reading.idleMs ?? 0);
      const before = beforeMessage(view).view;
      const used = (of: View): number => measure(of, rules, policy.numbers, nowMs).usedTokens;
      // What the meter would have read if the message had been counted before it was sent.
      const shown = reading.usedTokens + removedTokens(before, used);
      const typed = Math.max(0, shown - used(before));
      const { bySize } = forecast(before, rules, policy.numbers, nowMs, typed);
      const next = nextUp({ bySize, whenCold: null }, used(before) + typed);
      const due = next?.when === "message" ? next : null;
      turns++;
      if (plan) fired++;
      const isRight = (due?.tier ?? null) === (plan?.tier ?? null);
      if (!isRight)
        misses.push(
          `${session} ${name} ${message}: ${due?.action ?? "nothing"} forecast, ${plan?.reason ?? "nothing"} at ${reading.usedTokens}`,
        );
      return plan;
    },
  };
}

for (const path of await findRecordings(folder)) {
  const recording = await readRecording(path);
  const needs = findDependencies({ ...recording, calls: [] });
  for (const windowTokens of windows.split(",").map(Number)) {
    const rules = { ...lookUpRules("claude-sonnet-5-5"), windowTokens };
    for (const name of ["keep", "balanced", "save", "thresholds"] as const)
      simulate(recording, needs, checked(name, recording.name), {
        rules,
        overheadTokens: 15_000,
        ttl: null,
      });
  }
}
console.log(`${turns} turns, ${fired} began with a cut, ${misses.length} not as forecast`);
for (const miss of misses.slice(0, 20)) console.log(miss);
process.exit(misses.length > 0 ? 1 : 0);
