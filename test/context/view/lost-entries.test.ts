/** Sessions with lost lines can still be compacted: no planned cut is rejected. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { nextPlan, summaryPlan } from "../../../src/context/ladder.ts";
import type { Plan, View } from "../types.ts";
import { project } from "../../../src/context/view/view.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import type { Change, Entry } from "../../../src/protocol/entry.ts";
import { at, freeCut } from "../../facts.ts";
import { rules } from "../build.ts";
import { signedSpan } from "../live.ts";
import { play, share, steps } from "../sessions.ts";

/** Why the table rejects the planned cut; null: it is accepted. */
function rejection(path: readonly Entry[], changes: readonly Change[]): string | null {
  const id = "planned";
  const cut = { id, parent: path.at(-1)?.id ?? null, at, ...freeCut({ changes: [...changes] }) };
  return project([...path, cut]).rejected.find((one) => one.cut === id)?.reason ?? null;
}

/** What a plan changes; of a summary, by the model and by the server, which begins at the start. */
function listChanges(view: View, plan: Plan): Change[][] {
  if (!("summarize" in plan)) return [[...plan.changes]];
  const spans = [plan.summarize, signedSpan(view, plan.summarize)];
  return spans.map((span) => [{ kind: "cover", span, text: "Before." }]);
}

const losses = fc.array(fc.tuple(share, fc.integer({ min: 1, max: 6 })), { maxLength: 3 });

test("whatever is lost, the plans for what is left are accepted", () => {
  fc.assert(
    fc.property(steps(), fc.boolean(), share, losses, share, (script, beheads, start, lost, to) => {
      const whole = play(script).path;
      const path = whole.slice(beheads ? Math.floor(start * whole.length) : 0);
      for (const [place, count] of lost) path.splice(Math.floor(place * path.length), count);
      const view = project(path);
      const nowMs = Date.UTC(2026, 10, 20, 12);
      for (const windowTokens of [12_000, 60_000]) {
        const model = { ...rules, windowTokens };
        const reading = measure(view, model, defaultPolicy, nowMs);
        const now = { view, reading, policy: defaultPolicy, rules: model };
        const end = path[Math.floor(to * path.length)]?.id ?? "";
        const plans = [
          nextPlan("turnStart", now),
          nextPlan("beforeCall", now),
          summaryPlan(now),
          summaryPlan(now, { to: end }),
          summaryPlan(now, { from: end }),
        ];
        for (const plan of plans)
          for (const changes of plan ? listChanges(view, plan) : [])
            expect(rejection(path, changes)).toBeNull();
      }
    }),
    { numRuns: 50, endOnFailure: true },
  );
});
