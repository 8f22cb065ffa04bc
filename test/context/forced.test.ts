import { expect, test } from "bun:test";
import { planForced } from "../../src/context/forced.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { Builder, rules } from "./build.ts";
import { read, signalsOf } from "./compact.ts";
import { prose } from "./sessions.ts";

test("if hardly anything can be summarized, old results are dropped to make room", () => {
  const session = new Builder();
  const { id } = session.user(prose(100_000));
  session.add({ type: "pin", entry: id, on: true });
  const old = session.step("old", prose(900));
  for (const name of ["a", "b"]) session.step(name, "short");
  session.step("open", prose(60_000));
  const policy: Policy = { ...defaultPolicy, policy: "thresholds" };
  const reading = read(session, rules, policy);
  const now = { view: session.view, reading, policy, rules };
  const plan = planForced(now, 50);
  expect(plan).toMatchObject({ tier: "snip", changes: [{ kind: "replace", entry: old.id }] });
  expect(planForced(now, 5_000)?.tier).toBe("budget");
});

test("a file that is being edited outlasts newer output", () => {
  const session = new Builder();
  session.user("Mend it.");
  const path = "/w/a.ts";
  const inWork = session.step("file", prose(9_000), {
    stamps: [{ path, does: "read", hash: "h", bytes: 1 }],
  });
  for (let n = 0; n < 10; n++) session.step(`c${n}`, prose(6_000), { tool: "Bash" });
  const model = { ...rules, windowTokens: 27_000 };
  const policy: Policy = { ...defaultPolicy, policy: "thresholds" };
  const now = signalsOf(session, model, policy);
  const plan = planForced(now, 500);
  expect(plan?.tier).toBe("snip");
  const dropped = plan && "changes" in plan ? plan.changes : [];
  expect(dropped.length).toBeGreaterThan(2);
  expect(dropped).not.toContainEqual(expect.objectContaining({ entry: inWork.id }));
});

/**
 * What is dropped from a session that almost fills its window, for a request that is 100 tokens too
 * large.
 */
function droppedFrom(session: Builder) {
  const policy: Policy = { ...defaultPolicy, policy: "thresholds" };
  const { usedTokens } = read(session, rules, policy);
  const model = { ...rules, windowTokens: Math.round(usedTokens * 1.1) };
  const reading = read(session, model, policy);
  const now = { view: session.view, reading, policy, rules: model };
  const plan = planForced(now, 100);
  if (!plan || !("changes" in plan)) throw new Error("Nothing was dropped.");
  return { plan, reading };
}

test("old results are dropped, oldest first, until half of the window is free", () => {
  const session = new Builder();
  session.user("Go on.");
  for (let n = 0; n < 30; n++) session.step(`c${n}`, prose(3_000), { tool: "Bash" });
  const { plan, reading } = droppedFrom(session);
  const left = plan.price.usedAfter - reading.effectiveTokens / 2;
  expect(left).toBeWithin(-1_000, 1);
  expect(plan.changes.map((one) => ("entry" in one ? one.entry : ""))).toEqual(
    plan.changes.map((_, n) => `e${4 + 2 * n}`),
  );
  expect(plan.reason).toBe(
    `drop ${plan.changes.length} old results: the next request is 100 tokens too large`,
  );
});

test("active files are dropped last, and only as many as necessary", () => {
  const session = new Builder();
  session.user("Go on.");
  for (let n = 0; n < 12; n++)
    session.step(`r${n}`, prose(3_000), {
      stamps: [{ path: `/w/${n}`, does: "read", hash: "h", bytes: 1 }],
    });
  for (let n = 0; n < 4; n++) session.step(`c${n}`, prose(3_000), { tool: "Bash" });
  const { plan, reading } = droppedFrom(session);
  const freed = plan.price.usedBefore - plan.price.usedAfter;
  expect(freed - reading.effectiveTokens / 4).toBeWithin(-60, 1_000);
  const [first] = plan.changes;
  expect(first && "entry" in first && first.entry).toBe("e28");
});
