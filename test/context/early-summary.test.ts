import { describe, expect, test } from "bun:test";
import { nextPlan } from "../../src/context/pipeline.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { Builder, rules, say } from "./build.ts";
import { signalsOf } from "./compact.ts";
import { prose } from "./sessions.ts";

const model = { ...rules, windowTokens: 100_000, thinking: "none" as const };

/** Turns without calls: nothing can be cleared, so only a summary helps. */
function talk(turns: number, chars: number): Builder {
  const one = new Builder();
  for (let turn = 0; turn < turns; turn++) {
    one.user(`Question ${turn}`);
    one.answer([say(prose(chars))]);
  }
  one.user("And now?");
  return one;
}

function planned(one: Builder, changes: Partial<Policy> = {}, windowTokens = 100_000) {
  const policy = { ...defaultPolicy, ...changes };
  const small = { ...model, windowTokens };
  return nextPlan("turnStart", signalsOf(one, small, policy));
}

describe("a summary comes before the window requires it", () => {
  test("after enough calls, when the history fills half of the window", () => {
    expect(planned(talk(60, 2_900))).toMatchObject({
      tier: "summary",
      reason: expect.stringContaining("reading it costs more than a summary"),
    });
  });

  test("not after fewer calls", () => {
    expect(planned(talk(59, 2_900))).toBeNull();
  });

  test("not in less than half of the window", () => {
    expect(planned(talk(60, 2_400))).toBeNull();
  });

  test("not again until as many calls came after the last summary", () => {
    const one = talk(64, 2_900);
    one.cover("e2", "e11", "Ten entries.");
    expect(planned(one)).toBeNull();
    for (let turn = 0; turn < 2; turn++) {
      one.answer([say("Yes.")]);
      one.user("Go on.");
    }
    expect(planned(one)).toMatchObject({ tier: "summary" });
  });

  test("sooner with the balance that saves, never with the one that keeps", () => {
    expect(planned(talk(40, 2_900), { balance: "save" })).toMatchObject({ tier: "summary" });
    expect(planned(talk(39, 2_900), { balance: "save" })).toBeNull();
    expect(planned(talk(60, 2_900), { balance: "keep" })).toBeNull();
  });

  test("in a very large window, from 200,000 tokens", () => {
    expect(planned(talk(60, 11_000), {}, 1_000_000)).toMatchObject({ tier: "summary" });
    expect(planned(talk(60, 9_000), {}, 1_000_000)).toBeNull();
  });

  test("not while the newest turn is most of it", () => {
    const one = talk(60, 100);
    one.answer([say("Yes.")]);
    one.user(prose(200_000));
    expect(planned(one)?.tier).not.toBe("summary");
  });
});
