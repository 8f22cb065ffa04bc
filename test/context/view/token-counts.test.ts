/** What calls have counted, divided among the rows, and what the session teaches about its tokens. */

import { describe, expect, test } from "bun:test";
import { measure, proseRatio, tokensOfText } from "../../../src/context/meter/meter.ts";
import type { AssistantBlock, UserBlock } from "../../../src/protocol/block.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { begin, Builder, call, picture, rules, say, serverSummary, think } from "../build.ts";

/** An answer to a request that the server counted as so many tokens. */
function counted(
  one: Builder,
  input: number,
  blocks: AssistantBlock[] = [say("Yes.")],
  output = 3,
) {
  return one.answer(blocks, { usage: { input, cacheRead: 0, cacheWrite: 0, output } });
}

/** A session whose first request was counted as 1,000 tokens. */
function begun(): Builder {
  const one = begin();
  counted(one, 1_000, [call("a")]);
  return one;
}

const tokens = (one: Builder, ...rows: number[]) =>
  rows.map((row) => {
    const count = one.view.tokenCounts.countedTokens(row);
    return count === null ? null : Math.round(count);
  });

describe("characters by kind", () => {
  const kindsOf = (one: Builder) => {
    const chars = one.view.rows.at(-1)?.charsByKind ?? {};
    return Object.fromEntries(Object.entries(chars).filter(([, count]) => count !== 0));
  };
  const ofUser = (...content: UserBlock[]) => {
    const one = new Builder();
    one.add({ type: "user", content });
    return kindsOf(one);
  };
  const ofAnswer = (...content: AssistantBlock[]) => {
    const one = begin();
    one.answer(content);
    return kindsOf(one);
  };

  test.each<[string, AssistantBlock, Record<string, number>]>([
    ["text", say("x".repeat(7)), { assistant: 7 }],
    ["thinking", think("x".repeat(9), ""), { thinking: 9 }],
    [
      "thinking that the response omits, by its signature",
      think("", "x".repeat(100)),
      { thinking: 75 },
    ],
    ["redacted thinking", { type: "redacted_thinking", data: "x".repeat(100) }, { thinking: 75 }],
    ["empty thinking", { type: "redacted_thinking", data: "" }, { thinking: 1 }],
    ["a call", call("t1", "Read", { a: 1 }), { toolInputs: 51 }],
  ])("of an answer: %s", (_, block, chars) => {
    const { assistant = 0, ...others } = chars;
    expect(ofAnswer(block, say("y"))).toEqual({ ...others, assistant: assistant + 1 });
  });

  test("of messages and results", () => {
    expect(ofUser(say("x".repeat(7)))).toEqual({ user: 7 });
    const one = begun();
    one.result("a", "x".repeat(7));
    expect(kindsOf(one)).toEqual({ toolResults: 37 });
  });

  test("of a summary, and of the server's own", () => {
    const covered = (block?: ReturnType<typeof serverSummary>) => {
      const one = new Builder();
      one.turn("Go.", "Done.");
      one.cover("e2", "e3", "x".repeat(7), block && { block });
      return one.view.rows[1]?.charsByKind.summary;
    };
    expect(covered()).toBe(7);
    expect(covered(serverSummary("x".repeat(9)))).toBe(9);
  });
});

describe("counted tokens", () => {
  test("are divided among the rows that are new, by their size", () => {
    const one = begun();
    one.result("a", "x".repeat(370));
    one.user("x".repeat(1_000));
    one.user("x".repeat(3_000));
    expect(tokens(one, 3, 4, 5)).toEqual([null, null, null]);
    counted(one, 1_003 + 1_500);
    const [result, small = 0, large = 0] = tokens(one, 3, 4, 5);
    expect((result ?? 0) + (small ?? 0) + (large ?? 0)).toBeWithin(1_450, 1_501);
    expect((large ?? 0) / (small ?? 1)).toBeCloseTo(3, 1);
  });

  test("go down with a row that is shortened, and come back with it", () => {
    const one = begun();
    const { id } = one.result("a", "x".repeat(2_000));
    counted(one, 1_003 + 500);
    const [before = 0] = tokens(one, 3);
    const cut = one.cut([{ kind: "replace", entry: id, text: "x".repeat(470) }]);
    expect(tokens(one, 3)[0]).toBeWithin(100, 140);
    expect(one.view.tokenCounts.countedWholeTokens(3)).toBeCloseTo(before ?? 0, 0);
    expect(one.view.tokenCounts.editedTokens).toBeCloseTo(before ?? 0, 0);
    one.restore(cut.id);
    expect(tokens(one, 3)).toEqual([before]);
    one.user("Go on.");
    counted(one, 1_003 + 500 + 9);
    expect(one.view.tokenCounts.editedTokens).toBe(0);
  });

  test("of an answer are its own, as the server counted them", () => {
    const one = begun();
    one.result("a", "text");
    counted(one, 1_100, [say("x".repeat(4_000))], 950);
    expect(tokens(one, 4)).toEqual([950]);
    expect(one.view.tokenCounts.counted.assistant).toBeCloseTo(950, 0);
  });

  /** Tokens per expected one of a message, when a call counts so many times what is expected. */
  const believed = (one: Builder, times: number): number => {
    one.user("x".repeat(7_600));
    const expected = 7_600 / 3.8;
    const before = one.view.tokenCounts.total();
    counted(one, Math.round(before + times * expected));
    return (tokens(one, one.path.length - 2)[0] ?? 0) / expected;
  };
  const calls = (count: number): Builder => {
    const one = count > 0 ? begun() : new Builder();
    if (count > 0) counted(one, 1_003);
    return one;
  };

  test.each([
    [0, 0.2, 0.2],
    [0, 1.29, 1.29],
    [0, 2, 1.3],
    [1, 0.1, 1 / 3],
    [1, 2.9, 2.9],
    [1, 9, 3],
  ])("after %d calls, of %d times what is expected, believe %d times", (count, times, expected) => {
    expect(believed(calls(count), times)).toBeCloseTo(expected, 1);
  });

  test.each([
    [0.1, 0.5],
    [1.5, 1.5],
    [3, 2],
  ])("of another model, %d times as many, make all rows %d times as large", (times, factor) => {
    const one = begun();
    one.result("a", "x".repeat(2_800));
    counted(one, 2_003);
    const [before = 0] = tokens(one, 3);
    one.add({ type: "model", model: "m2" });
    one.user("x".repeat(3_800));
    const { usedTokens } = measure(one.view, rules, defaultPolicy, 0);
    counted(one, Math.round(usedTokens * times));
    expect((tokens(one, 3)[0] ?? 0) / (before ?? 1)).toBeCloseTo(factor, 1);
  });

  test("in no row are the system prompt's", () => {
    const one = begin();
    counted(one, 5_000);
    const { counted: byKind } = one.view.tokenCounts;
    expect(byKind.system + byKind.tools + byKind.user).toBeCloseTo(5_000, 0);
    expect(byKind.system).toBeGreaterThan(4_800);
  });
});

describe("characters per token", () => {
  /** After messages of so many characters that took so many tokens each. */
  function learned(...messages: [chars: number, tokens: number][]): Builder {
    const one = new Builder();
    let sent = 1_000;
    one.user("Go.");
    counted(one, sent, [say("Yes.")], 1);
    for (const [chars, size] of messages) {
      one.user("x".repeat(chars));
      sent += 1 + size;
      counted(one, sent, [say("Yes.")], 1);
    }
    return one;
  }
  const ratio = (...messages: [number, number][]) => proseRatio(learned(...messages).view, rules);
  const usual = rules.charsPerToken.prose;

  test("are the model's until a call has counted more than a few words", () => {
    expect(ratio()).toBe(usual);
    expect(ratio([59, 60], [900, 19])).toBe(usual);
    // Far more tokens than the text can take: the call counted something else.
    expect(ratio([9_000, 90_000])).toBe(usual);
    expect(ratio([60, 20])).toBeLessThan(usual);
    expect(ratio([9_000, 1_800])).toBeGreaterThan(usual);
  });

  test("weigh what was counted against 1,500 usual tokens, and follow the session", () => {
    expect(ratio([7_500, 1_500])).toBeCloseTo((5 + usual) / 2, 2);
    const times = (count: number, message: [number, number]) =>
      Array.from({ length: count }, () => message);
    expect(ratio(...times(30, [30_000, 6_000]), ...times(60, [30_000, 15_000]))).toBeWithin(2, 2.6);
  });

  test("are learned from text alone, and not from a call after an edit", () => {
    const one = learned();
    one.add({ type: "user", content: [say("x".repeat(9_000)), picture] });
    counted(one, 1_001 + 1_800 + 1_600, [say("Yes.")], 1);
    const before = proseRatio(one.view, rules);
    expect(before).toBeCloseTo(ratio([9_000, 1_800]), 5);
    one.cut([{ kind: "replace", entry: "e4", text: "[gone]" }]);
    one.user("x".repeat(9_000));
    counted(one, Math.round(one.view.tokenCounts.total()) + 4_500);
    expect(proseRatio(one.view, rules)).toBe(before);
  });

  test("stay plausible, and are forgotten with the tokenizer", () => {
    const forty = (tokens: number) =>
      Array.from({ length: 40 }, (): [number, number] => [9_000, tokens]);
    expect(ratio(...forty(900))).toBe(7);
    expect(ratio(...forty(4_000), ...forty(6_000), ...forty(8_000), ...forty(9_000))).toBe(1.2);
    const one = learned([30_000, 6_000]);
    const before = proseRatio(one.view, rules);
    one.add({ type: "model", model: "m2" });
    one.add({ type: "model", model: "m1" });
    one.user("Hm.");
    counted(one, 7_000);
    expect(proseRatio(one.view, rules)).toBe(before);
    one.add({ type: "model", model: "m2" });
    one.user("Go on.");
    counted(one, 9_000);
    expect(proseRatio(one.view, rules)).toBeLessThan(before);
    one.user("x".repeat(30_000));
    counted(one, 15_000);
    one.user("Go on.");
    counted(one, 15_010);
    expect(proseRatio(one.view, rules)).toBeCloseTo(before, 1);
  });

  test("differ by kind of text", () => {
    const one = begun();
    const of = (kind: "user" | "toolInputs" | "toolResults") =>
      tokensOfText(one.view, rules, kind, 8_400);
    const { prose, code, result } = rules.charsPerToken;
    expect([of("user"), of("toolInputs"), of("toolResults")]).toEqual([
      8_400 / prose,
      8_400 / code,
      8_400 / result,
    ]);
    one.result("a", "x".repeat(30_000));
    counted(one, 1_000 + 6_000);
    expect([of("user"), of("toolInputs")]).toEqual([8_400 / prose, 8_400 / code]);
    expect(of("toolResults")).toBeLessThan(8_400 / result);
  });
});

describe("the error of an estimate", () => {
  /** Half the width of the range, as a share, after calls whose counts were off by so much. */
  function errorAfter(calls: number, factor: number): number {
    const one = new Builder();
    let sent = 1_000;
    one.user("Go.");
    counted(one, sent, [say("Yes.")], 1);
    const add = (times: number): void => {
      const { usedTokens } = measure(one.view, rules, defaultPolicy, one.nowMs);
      one.user("x".repeat(3_800));
      const now = measure(one.view, rules, defaultPolicy, one.nowMs);
      sent += 1 + Math.round((now.usedTokens - usedTokens) * times);
      counted(one, sent, [say("Yes.")], 1);
    };
    for (let n = 0; n < calls; n++) add(1);
    if (factor !== 1) add(factor);
    one.user("x".repeat(38_000));
    const { errorTokens, usedTokens } = measure(one.view, rules, defaultPolicy, one.nowMs);
    return errorTokens / (usedTokens - sent);
  }

  test("is a half at first, smaller after calls that were right, larger after one that was wrong", () => {
    expect(errorAfter(0, 1)).toBeCloseTo(0.5, 1);
    expect(errorAfter(60, 1)).toBeLessThan(0.35);
    expect(errorAfter(60, 2)).toBeGreaterThan(errorAfter(60, 1));
  });
});
