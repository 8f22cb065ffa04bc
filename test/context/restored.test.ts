/** A cut that the user has undone is not repeated when the next message comes. */

import { bareRules } from "../bare-rules.ts";
import { expect, test } from "bun:test";
import { nextPlan } from "../../src/context/ladder.ts";
import type { Plan } from "./types.ts";
import type { EntryId } from "../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { Builder, call, rules, say } from "./build.ts";
import { apply, read, readSignals } from "./compact.ts";
import { prose } from "./sessions.ts";

const model = { ...rules, windowTokens: 200_000 };

function due(session: Builder, policy: Policy): Plan | null {
  return nextPlan("turnStart", readSignals(session, model, policy));
}

const touched = (plan: Plan | null): EntryId[] =>
  plan && "changes" in plan
    ? plan.changes.flatMap((change) => ("entry" in change ? [change.entry] : []))
    : [];

/** A session whose cache expired after many reads and long commands, which were then cut. */
function cleared(policy: Policy): Builder {
  const session = new Builder();
  session.user("Read on.");
  for (let n = 0; n < 60; n++) {
    session.answer([call(`c${n}`, "Bash", { command: `echo ${prose(900)}` })]);
    session.result(`c${n}`, prose(4_000), { tool: "Bash" });
  }
  session.answer([say("Done.")]);
  session.wait(600_000);
  session.user("Next.");
  for (let plan = due(session, policy); plan; plan = due(session, policy)) apply(session, plan);
  session.answer([say("Yes?")]);
  return session;
}

test.each([{}, bareRules])("with %p a restored item stays", (changes) => {
  const numbers: Policy = { ...defaultPolicy, ...changes };
  const session = cleared(numbers);
  const { cuts } = session.view;
  expect(cuts.length).toBeGreaterThan(0);
  const restored: EntryId[] = [];
  for (const { id, changes } of cuts)
    for (const change of changes.slice(0, 20)) {
      if (change.kind !== "replace") continue;
      session.restore(id, change.entry);
      restored.push(change.entry);
    }
  expect(restored.length).toBeGreaterThan(5);
  session.wait(600_000);
  session.user("What did it say?");
  const again = touched(due(session, numbers));
  for (const entry of restored) expect(again).not.toContain(entry);
});

test("a cut that was undone as a whole is not made again", () => {
  const session = cleared(defaultPolicy);
  const before = session.view.cuts.map(({ changes }) => changes);
  for (const id of session.view.cuts.map((cut) => cut.id)) session.restore(id);
  session.wait(600_000);
  session.user("Go on.");
  const again = touched(due(session, defaultPolicy));
  for (const change of before.flat())
    if (change.kind !== "cover") expect(again).not.toContain(change.entry);
});

test("a request that would not fit is cut anyway", () => {
  const session = cleared(defaultPolicy);
  for (const id of session.view.cuts.map((cut) => cut.id)) session.restore(id);
  session.user("Go on.");
  const small = { ...model, windowTokens: 30_000 };
  const reading = read(session, small, defaultPolicy);
  expect(
    nextPlan("beforeCall", { view: session.view, reading, policy: defaultPolicy, rules: small }),
  ).not.toBeNull();
});
