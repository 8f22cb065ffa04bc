/** A request and a plan equal those of a fresh computation, whatever happened before. */

import { bareRules } from "../bare-rules.ts";
import { expect, test } from "bun:test";
import { forecast } from "../../src/context/forecast.ts";
import { LiveView, project } from "../../src/context/view/view.ts";
import { measure } from "../../src/context/meter/meter.ts";
import { nextPlan } from "../../src/context/ladder.ts";
import { buildRequest } from "../../src/context/request.ts";
import type { Moment, View } from "./types.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import fc from "../properties.ts";
import { rules } from "./build.ts";
import { play, steps, take } from "./sessions.ts";

const wide = { ...rules, windowTokens: 10_000_000 };
const tool = (name: string) => ({
  name,
  description: name,
  input_schema: { type: "object" as const },
});

/** The request, or why it cannot be sent. */
function buildNext(view: View, policy: Policy): { request: string } | { refused: string } {
  try {
    return { request: JSON.stringify(buildRequest(view, wide, policy)) };
  } catch (error) {
    return { refused: String(error) };
  }
}

/** What the tiers would do now, and what the meter announces. */
function listPlans(view: View, policy: Policy) {
  const now = { ...rules, windowTokens: 24_000 };
  const atMs = (view.anchor?.atMs ?? 0) + 1_000;
  const reading = { ...measure(view, now, policy, atMs), cost: { session: 0 } };
  const planAt = (moment: Moment) => nextPlan(moment, { view, reading, policy, rules: now });
  return [reading, planAt("turnStart"), planAt("beforeCall"), forecast(view, now, policy, atMs)];
}

test("after every step of a session, undone, rewound, cut and with another model too", () => {
  let [sent, rewound, planned] = [0, 0, 0];
  fc.assert(
    fc.property(steps({ most: 30 }), (script) => {
      const session = play([]);
      const log = { entries: [...session.path], path: [...session.path] };
      const live = new LiveView(log);
      const follow = (): void => {
        const known = new Set<Entry>(log.entries);
        const added = session.path.filter((entry) => !known.has(entry));
        log.entries.push(...added);
        const before = log.path;
        if (before.every((entry, row) => entry === session.path[row])) before.push(...added);
        else log.path = [...session.path];
        if (log.path !== before) rewound++;
      };
      for (const [index, step] of script.entries()) {
        take(session, step, index);
        if (index % 7 === 3)
          session.step(`load-${index}`, "Loaded.", { loads: [tool(`t${index}`)] });
        follow();
        if (index % 4 === 0) listPlans(live.view, defaultPolicy);
        const policy = { ...defaultPolicy, cacheTtl: index % 5 === 4 ? "1h" : "5m" } as const;
        const request = buildNext(live.view, policy);
        expect(request).toEqual(buildNext(project(session.path), policy));
        if (!("refused" in request)) sent++;
      }
      for (const changes of [{}, bareRules]) {
        const plans = listPlans(live.view, { ...defaultPolicy, ...changes });
        expect(plans).toEqual(listPlans(project(session.path), { ...defaultPolicy, ...changes }));
        if (plans[1] !== null) planned++;
      }
    }),
    { numRuns: 25 },
  );
  expect(sent).toBeGreaterThan(100);
  expect(rewound).toBeGreaterThan(5);
  expect(planned).toBeGreaterThan(10);
});
