import { expect, test } from "bun:test";
import { planForced } from "../../src/context/tiers/forced.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Builder, rules } from "./build.ts";
import { read, readSignals } from "./compact.ts";
import { prose } from "./sessions.ts";

test("if hardly anything can be summarized, old results are dropped to make room", () => {
  const session = new Builder();
  const { id } = session.user(prose(100_000));
  session.add({ type: "pin", entry: id, on: true });
  const old = session.step("old", prose(900));
  for (const name of ["a", "b"]) session.step(name, "short");
  session.step("open", prose(60_000));
  const policy = defaultPolicy;
  const reading = read(session, rules, policy);
  const now = { view: session.view, reading, policy, rules };
  const plan = planForced(now, 50);
  expect(plan).toMatchObject({
    tier: "microcompact",
    changes: [{ kind: "replace", entry: old.id }],
  });
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
  const policy = { ...defaultPolicy, keepFileCalls: 1_000 };
  const now = readSignals(session, model, policy);
  const plan = planForced(now, 500);
  expect(plan?.tier).toBe("microcompact");
  const dropped = plan && "changes" in plan ? plan.changes : [];
  expect(dropped.length).toBeGreaterThan(2);
  expect(dropped).not.toContainEqual(expect.objectContaining({ entry: inWork.id }));
});

/**
 * What is dropped from a session that almost fills its window, for a request that is 100 tokens too
 * large.
 */
function droppedFrom(session: Builder) {
  const policy = { ...defaultPolicy, keepFileCalls: 500 };
  const { usedTokens } = read(session, rules, policy);
  const model = { ...rules, windowTokens: Math.round(usedTokens * 1.1) };
  const reading = read(session, model, policy);
  const now = { view: session.view, reading, policy, rules: model };
  const plan = planForced(now, 100);
  if (!plan || !("changes" in plan)) throw new Error("Nothing was dropped.");
  return { plan, reading };
}

test("what is not needed is cleared first, and that may be enough", () => {
  const session = new Builder();
  session.user("Go on.");
  for (let n = 0; n < 30; n++) session.step(`c${n}`, prose(3_000), { tool: "Bash" });
  const { plan } = droppedFrom(session);
  expect(plan.changes).toHaveLength(27);
  expect(plan.reason).toBe(
    "clear 27 old items: the next request and its answer are 100 tokens too large",
  );
});

test("if that is not enough, the oldest results go, until half of the window is free", () => {
  const session = new Builder();
  session.user("Go on.");
  for (let n = 0; n < 40; n++)
    session.step(`r${n}`, prose(1_500), {
      stamps: [{ path: `/w/${n}`, does: "write", hash: "h", bytes: 1 }],
    });
  const reads = Array.from({ length: 12 }, (_, n) =>
    session.step(`n${n}`, prose(3_000), {
      stamps: [{ path: `/w/${n}`, does: "read", hash: "h", bytes: 1 }],
    }),
  );
  const { plan, reading } = droppedFrom(session);
  const left = plan.price.usedAfter - reading.effectiveTokens / 2;
  expect(left).toBeWithin(-2_000, 1);
  const [first] = plan.changes;
  expect(first && "entry" in first && first.entry).toBe("e4");
  expect(plan.changes).not.toContainEqual(expect.objectContaining({ entry: reads.at(-4)?.id }));
});
