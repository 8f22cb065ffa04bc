/** A summary that was declined or undone is not proposed again immediately; the forecast knows it. */

import { bareRules } from "../bare-rules.ts";
import { expect, test } from "bun:test";
import { forecast } from "../../src/context/forecast.ts";
import { nextPlan } from "../../src/context/ladder.ts";
import type { Plan } from "./types.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { Builder, noPrice, rules } from "./build.ts";
import { read, readSignals } from "./compact.ts";
import { prose } from "./sessions.ts";

const model = { ...rules, windowTokens: 100_000 };

const due = (session: Builder, policy: Policy): Plan | null =>
  nextPlan("turnStart", readSignals(session, model, policy));

/** Turns without calls, in which only a summary can cut anything. */
function talk(session: Builder, turns: number): void {
  for (let turn = 0; turn < turns; turn++) session.turn(prose(1_500), prose(1_500));
}

/** A session in which a summary is due. */
function long(policy: Policy): Builder {
  const session = new Builder();
  talk(session, 60);
  while (!due(session, policy)) talk(session, 1);
  return session;
}

const outcomes: [string, (session: Builder, usedTokens: number) => void][] = [
  [
    "declined",
    (session, usedTokens) => session.attempt({ outcome: "declined", by: null, usedTokens }),
  ],
  [
    "undone",
    (session, usedAfter) => {
      const cut = session.cover("e2", session.path.at(-3)?.id ?? "");
      session.restore(cut.id, undefined, { price: { ...noPrice, usedAfter } });
    },
  ],
];

test.each(outcomes)(
  "one that the window requires, and was %s, waits for 5 %% more",
  (_, happens) => {
    const policy: Policy = { ...defaultPolicy, ...bareRules };
    const session = long(policy);
    const { usedTokens, effectiveTokens } = read(session, model, policy);
    const shrunk = long(policy);
    happens(shrunk, 1.2 * usedTokens);
    expect(due(shrunk, policy)).not.toBeNull();
    happens(session, usedTokens);
    expect(due(session, policy)).toBeNull();
    const { bySize } = forecast(session.view, model, policy, session.nowMs);
    expect(bySize?.atTokens).toBeGreaterThan(usedTokens);
    while (!due(session, policy)) talk(session, 1);
    const grown = read(session, model, policy).usedTokens - usedTokens;
    expect(grown - 0.05 * effectiveTokens).toBeWithin(0, 1_500);
    expect(read(session, model, policy).usedTokens).toBeGreaterThanOrEqual(bySize?.atTokens ?? 0);
  },
);

test("a summary that was stopped may be proposed at once", () => {
  const session = long(defaultPolicy);
  const { usedTokens } = read(session, model, defaultPolicy);
  session.attempt({ outcome: "stopped", usedTokens });
  expect(due(session, defaultPolicy)).not.toBeNull();
});
