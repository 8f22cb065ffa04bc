import { expect, test } from "bun:test";
import { planForced } from "../../src/context/forced.ts";
import { signals } from "../../src/context/pipeline.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { Builder, rules } from "./build.ts";
import { read } from "./compact.ts";
import { prose } from "./sessions.ts";

test("where hardly anything can be summarized, old results make the room that is needed", () => {
  const session = new Builder();
  const { id } = session.user(prose(100_000));
  session.add({ type: "pin", entry: id, on: true });
  const old = session.step("old", prose(900));
  for (const name of ["a", "b"]) session.step(name, "short");
  session.step("open", prose(60_000));
  const policy: Policy = { ...defaultPolicy, policy: "thresholds" };
  const reading = read(session, rules, policy);
  const now = signals("beforeCall", session.view, reading, policy, rules);
  const plan = planForced(session.view, now, policy, 50);
  expect(plan).toMatchObject({ tier: "snip", changes: [{ kind: "replace", entry: old.id }] });
  expect(planForced(session.view, now, policy, 5_000)?.tier).toBe("budget");
});

test("a file that is being edited outlasts younger output", () => {
  const session = new Builder();
  session.user("Mend it.");
  const path = "/w/a.ts";
  const inWork = session.step("file", prose(9_000), {
    stamps: [{ path, does: "read", hash: "h", bytes: 1 }],
  });
  for (let n = 0; n < 10; n++) session.step(`c${n}`, prose(6_000), { tool: "Bash" });
  const model = { ...rules, windowTokens: 27_000 };
  const policy: Policy = { ...defaultPolicy, policy: "thresholds" };
  const now = signals("beforeCall", session.view, read(session, model, policy), policy, model);
  const plan = planForced(session.view, now, policy, 500);
  expect(plan?.tier).toBe("snip");
  const dropped = plan && "changes" in plan ? plan.changes : [];
  expect(dropped.length).toBeGreaterThan(2);
  expect(dropped).not.toContainEqual(expect.objectContaining({ entry: inWork.id }));
});
