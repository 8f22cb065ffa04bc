import { expect, test } from "bun:test";
import { buildRequest } from "../../src/context/request.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { world } from "../agent/compaction/harness.ts";
import { Builder, rules, say } from "./build.ts";
import { read } from "./compact.ts";
import { prose } from "./sessions.ts";
import { user } from "./summary/say.ts";

/** Chosen after the calls to a model with a larger window. */
const model = { ...rules, model: "small", windowTokens: 8_192, outputTokens: 1_000 };

function refusal(session: Builder, windowTokens = model.windowTokens): string {
  try {
    buildRequest(session.view, { ...model, windowTokens }, defaultPolicy);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

/** Messages of so many characters, counted by a call. */
function session(sizes: readonly number[]): Builder {
  const one = new Builder();
  for (const chars of sizes) one.user(prose(chars));
  one.answer([say("Yes.")]);
  one.user("Go on.");
  return one;
}

const [answered, found, refused] = [session([100]), session([100]), session([60_000])];
answered.answer([say(prose(90_000))]);
answered.user("Go on.");
found.step("a", prose(90_000));
refused.add({ type: "count", tokens: 20_000, windowTokens: 8_192 });

test.each<[string, Builder, RegExp]>([
  ["nothing, while it may still fit", session([20_000]), /^$/],
  ["nothing, once the server has refused one: it may have another window now", refused, /^$/],
  [
    "the system prompt and the tools",
    new Builder({ system: prose(70_000) }),
    /^The system prompt and the tools alone need about \d+,\d{3} tokens.*the window of small holds 8,192/,
  ],
  ["one message", session([60_000]), /^Your message #e2 needs about \d+,\d{3} tokens/],
  [
    "the message that takes most of it",
    session([18_000, 12_000, 12_000]),
    /^Your message #e2 needs about \d,/,
  ],
  ["one result, by the name of its tool", found, /^The result #e6 of Read needs about/],
  ["one answer", answered, /^Entry #e5 needs about/],
  [
    "many parts, none of them large",
    session(Array.from({ length: 12 }, () => 5_000)),
    /^The request needs about \d+,\d{3} tokens.*nothing more can be removed automatically/,
  ],
  [
    "four parts of nearly one size",
    session([12_000, 9_000, 9_000, 9_000]),
    /^The request needs about/,
  ],
])("a request that cannot fit is refused with what takes the room: %s", (_, one, words) => {
  expect(refusal(one)).toMatch(words);
});

test("at the low end of the estimate it must be smaller than the window", () => {
  const one = session([400]);
  one.user(prose(20_000));
  const { usedTokens, errorTokens } = read(one, model, defaultPolicy);
  const low = usedTokens - errorTokens;
  expect(refusal(one, low + 1)).toBe("");
  expect(refusal(one, low)).toMatch(/^Your message #e5 needs/);
});

test("system prompt and tools are named when they are more than 80 % of the window", () => {
  for (let system = 16_000; system < 32_000; system += 150) {
    const one = new Builder({ system: prose(system) });
    for (let n = 0; n < 10; n++) one.user(prose((40_000 - system) / 10));
    const { usedTokens, errorTokens, breakdown } = read(one, model, defaultPolicy);
    const windowTokens = usedTokens - errorTokens;
    const isMost = breakdown.system + breakdown.tools > 0.8 * windowTokens;
    const words = isMost ? "The system prompt and the tools alone need" : "The request needs";
    expect(refusal(one, windowTokens)).toStartWith(words);
  }
});

test.each([
  ["smaller than the known one", { windowTokens: 9_000, knownWindow: 60_000 }, 9_000],
  ["of an old log", { windowTokens: 9_000 }, 9_000],
  ["larger", { windowTokens: 90_000, knownWindow: 60_000 }, 60_000],
  ["of nothing", { windowTokens: 0 }, 60_000],
  ["from before the setting was changed", { windowTokens: 9_000, knownWindow: 30_000 }, 60_000],
])("with a reported window %s, %p, the window has %d tokens", async (_, reported, windowTokens) => {
  const one = await world([], { rules: { windowTokens: 60_000, outputTokens: 10_000 } });
  await one.add(user("Go."), { type: "count", tokens: 10, ...reported });
  const outputTokens = Math.min(10_000, windowTokens);
  expect(one.session.rules).toMatchObject({ windowTokens, outputTokens });
  await one.add({ type: "model", model: "m2" });
  expect(one.session.rules.windowTokens).toBe(60_000);
});
