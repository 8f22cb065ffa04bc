import { describe, expect, test } from "bun:test";
import { buildRequest } from "../../src/context/request.ts";
import { rulesFor, RequestTooLarge, whyTooLarge } from "../../src/context/rules/window.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Builder, rules, say } from "./build.ts";
import { read } from "./compact.ts";
import { prose } from "./sessions.ts";

/** Chosen after the calls to a model with a larger window. */
const model = { ...rules, model: "small", windowTokens: 8_192, outputTokens: 1_000 };

function refusal(session: Builder): string {
  try {
    buildRequest(session.view, model, defaultPolicy);
  } catch (error) {
    if (error instanceof RequestTooLarge) return error.message;
    throw error;
  }
  return "";
}

/** Messages of so many characters, counted by a call. */
function session(sizes: readonly number[]): Builder {
  const one = new Builder();
  for (const chars of sizes) one.user(prose(chars));
  one.answer([say("Yes.")]);
  one.user("Go on.");
  return one;
}

describe("a request that cannot fit is refused with what takes the room", () => {
  test("nothing, while it may still fit", () => {
    expect(refusal(session([20_000]))).toBe("");
  });

  test("nothing, once the server has refused one: it may have another window now", () => {
    const one = session([60_000]);
    one.add({ type: "count", tokens: 20_000, windowTokens: 8_192 });
    expect(refusal(one)).toBe("");
    expect(whyTooLarge(one.view, model, read(one, model, defaultPolicy))).toMatch(
      /^Your message #e2 needs about/,
    );
    const small = session([20_000]);
    expect(whyTooLarge(small.view, model, read(small, model, defaultPolicy))).toBeNull();
  });

  test("the system prompt and the tools", () => {
    const said = refusal(new Builder({ system: prose(70_000) }));
    expect(said).toMatch(/^The system prompt and the tools alone need about \d+,\d{3} tokens/);
    expect(said).toContain("the window of small holds 8,192");
  });

  test("one message", () => {
    expect(refusal(session([60_000]))).toMatch(/^Your message #e2 needs about \d+,\d{3} tokens/);
    expect(refusal(session([18_000, 12_000, 12_000]))).toMatch(/^Your message #e2 needs about \d,/);
  });

  test("one result, by the name of its tool", () => {
    const one = session([100]);
    one.step("a", prose(90_000));
    expect(refusal(one)).toMatch(/^The result #e6 of Read needs about/);
  });

  test("one answer", () => {
    const one = session([100]);
    one.answer([say(prose(90_000))]);
    one.user("Go on.");
    expect(refusal(one)).toMatch(/^Entry #e5 needs about/);
  });

  test("many parts, none of them large", () => {
    expect(refusal(session(Array.from({ length: 12 }, () => 5_000)))).toMatch(
      /^The request needs about \d+,\d{3} tokens.*nothing more can be removed automatically/,
    );
  });
});

describe("what takes the room, at its limits", () => {
  const small = { ...model, windowTokens: 1_000 };
  const { view } = session([400]);
  const said = (usedTokens: number, system: number, tools: number): string => {
    const reading = read(session([400]), small, defaultPolicy);
    const breakdown = { ...reading.breakdown, system, tools };
    return whyTooLarge(view, small, { ...reading, usedTokens, errorTokens: 100, breakdown }) ?? "";
  };

  test("at the low end of the estimate it must be smaller than the window", () => {
    expect(said(1_099, 900, 0)).toBe("");
    expect(said(1_100, 900, 0)).not.toBe("");
  });

  test("system prompt and tools are named when they are more than 80 % of the window", () => {
    expect(said(1_100, 500, 301)).toMatch(/^The system prompt and the tools alone need about 801 /);
    expect(said(1_100, 500, 300)).toMatch(/^The request needs about 1,100 tokens/);
  });
});

test.each([
  ["smaller than the known one", { tokens: 9_000, known: rules.windowTokens }, 9_000],
  ["of an old log", { tokens: 9_000, known: null }, 9_000],
  ["larger", { tokens: 90_000, known: rules.windowTokens }, rules.windowTokens],
  ["from before the setting was changed", { tokens: 9_000, known: 30_000 }, rules.windowTokens],
])("with a reported window %s, %p, the window has %d tokens", (_, reportedWindow, tokens) => {
  expect(rulesFor({ reportedWindow }, rules).windowTokens).toBe(tokens);
});
