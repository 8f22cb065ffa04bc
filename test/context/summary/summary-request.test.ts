/** What the summary call leaves out, and the space that it gets. */

import { describe, expect, test } from "bun:test";
import {
  buildRequest,
  buildSummaryRequest,
  buildServerRequest,
  canAskServer,
} from "../../../src/context/request.ts";
import { noUsage, type Message, type ModelRules } from "../../../src/protocol/model.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { begin, Builder, call, countTokens, rules, say, serverSummary, think } from "../build.ts";
import { read } from "../compact.ts";
import { prose } from "../sessions.ts";

const wide: ModelRules = { ...rules, windowTokens: 1_000_000, outputTokens: 32_000 };

/** Questions and answers, and the next question. */
function talk(chars = 100, turns = 20): Builder {
  const one = new Builder();
  for (let turn = 0; turn < turns; turn++) one.turn(`Question ${turn}.`, prose(chars));
  one.user("And now?");
  return one;
}

type Options = Partial<Parameters<typeof buildSummaryRequest>[4]>;

/** The call for a summary of everything up to an entry. */
const ask = (
  one: Builder,
  { model = wide, to = "e41", ...more }: Options & { model?: ModelRules; to?: string } = {},
) =>
  buildSummaryRequest(one.view, { from: "e2", to }, model, defaultPolicy, {
    prompt: "Sum up.",
    ...more,
  });

describe("the oldest messages are left out", () => {
  test("by steps, from a message of the user on", () => {
    const one = talk(100, 40);
    const from = [0, 1, 2, 3, 4, 5, 9].map((dropOldest) => {
      const { messages } = ask(one, { dropOldest, to: "e81" });
      return /Question (\d+)/.exec(JSON.stringify(messages[0]?.content))?.[1];
    });
    expect(from).toEqual(["0", "10", "20", "30", "35", "38", "39"]);
  });

  test("by steps beyond what the window needs, so that no request is refused twice", () => {
    const model = { ...wide, windowTokens: 5_000 };
    const counts = [0, 1, 2].map(
      (dropOldest) => ask(talk(9_000), { dropOldest, model }).messages.length,
    );
    expect(counts).toEqual([11, 5, 3]);
  });

  test("so that no call loses its result; a loop begins with its next answer", () => {
    for (const [calls, dropOldest, id] of [
      [20, 2, "c10"],
      [2, 1, "c0"],
    ] as const) {
      const one = begin();
      for (let n = 0; n < calls; n++) one.step(`c${n}`, "text");
      const to = `e${2 + 2 * calls}`;
      one.user("Sum up.");
      expect(ask(one, { dropOldest, to }).messages.slice(0, 2)).toMatchObject([
        { role: "user", content: [say("(older messages are left out)")] },
        { role: "assistant", content: [{ type: "tool_use", id }] },
      ]);
    }
  });

  test("which breaks the thinking after them, where it is bound", () => {
    const model = { ...wide, thinking: "free" } as const;
    expect(ask(talk(), { dropOldest: 1 }).dropStaleThinking).toBe(true);
    expect(ask(talk()).dropStaleThinking).toBe(false);
    expect(ask(talk(), { dropOldest: 1, model }).dropStaleThinking).toBe(false);
  });

  test("until the summary has room for an eighth of the window", () => {
    const one = talk(7_000);
    const tokens = countTokens(one.view.messages);
    const asked = (windowTokens: number) => ask(one, { model: { ...wide, windowTokens } });
    const kept = (windowTokens: number): number => asked(windowTokens).messages.length;
    let whole = tokens + 4_000;
    expect(kept(whole)).toBe(31);
    while (kept(whole) === 31) whole += 100;
    expect(asked(whole).maxTokens).toBeWithin(whole / 8, whole / 8 + 100);
    expect(kept(Math.round(tokens * 0.6))).toBe(21);
    expect(kept(Math.round(tokens * 0.3))).toBe(11);
    expect([5_000, 1_000].map(kept)).toEqual([11, 11]);
  });
});

describe("results at the end of the span", () => {
  /** Two calls whose thinking is removed, or not, by a cut once the loop has ended. */
  function loop({ isEnded, isCut }: { isEnded: boolean; isCut: boolean }) {
    const one = begin();
    one.step("a", "text");
    one.answer([think("Now b."), call("b")]);
    const to = one.result("b", "more").id;
    one.answer(isEnded ? [think("Enough."), say("Done.")] : [call("c")]);
    if (!isEnded) one.result("c", "more");
    if (isCut) one.cut([{ kind: "replace", entry: "e4", text: "[cleared]" }]);
    one.user("And now?");
    const span = { from: "e2", to };
    const { view } = one;
    const requests = [
      ask(one, { to }),
      buildServerRequest(view, span, wide, defaultPolicy, "Sum up."),
    ];
    return {
      last: requests.map(({ messages }) => messages.slice(5)),
      canAsk: canAskServer(view, span),
    };
  }

  test("are answered where their loop has ended and lost its thinking; the server is not asked", () => {
    const answer: Message = { role: "assistant", content: [say("…")] };
    const prompt: Message = { role: "user", content: [say("Sum up.")] };
    const { last, canAsk } = loop({ isEnded: true, isCut: true });
    expect(last).toEqual([[answer, prompt], []]);
    expect(canAsk).toBe(false);
  });

  test("stay last where the loop has its thinking: what follows is bound to them", () => {
    expect(loop({ isEnded: true, isCut: false })).toEqual({ last: [[], []], canAsk: true });
  });

  test("are answered in a loop that was continued by another model, and later by the first", () => {
    const one = begin();
    one.answer([think("First a."), call("a")]);
    const to = one.result("a", "text").id;
    one.add({ type: "model", model: "m2" });
    one.step("b", "text");
    one.add({ type: "model", model: rules.model });
    expect(ask(one, { to }).messages.slice(3)).toEqual([
      { role: "assistant", content: [say("…")] },
      { role: "user", content: [say("Sum up.")] },
    ]);
  });

  test("stay last in an open loop", () => {
    expect(loop({ isEnded: false, isCut: false })).toEqual({ last: [[], []], canAsk: true });
  });
});

test("the server is not asked for the beginning of a message", () => {
  const one = new Builder();
  const to = one.user("First.").id;
  one.answer([], { stop: "refusal" });
  one.user("Second.");
  one.answer([think("Both."), say("Done.")]);
  one.user("And now?");
  expect(canAskServer(one.view, { from: "e2", to })).toBe(false);
  expect(canAskServer(one.view, { from: "e2", to: "e5" })).toBe(true);
});

describe("the room for the summary", () => {
  test("is that of the settings and of the model", () => {
    expect(ask(talk()).maxTokens).toBe(8_000);
    expect(ask(talk(), { model: { ...wide, outputTokens: 3_000 } }).maxTokens).toBe(3_000);
  });

  test("is what the messages and the prompt leave of the window, at least 1,024 tokens", () => {
    const one = talk(2_000);
    const model = { ...wide, windowTokens: countTokens(one.view.messages) + 6_000 };
    const room = (prompt: string) => ask(one, { model, prompt }).maxTokens;
    expect(room("Sum up.")).toBeWithin(5_500, 6_100);
    expect(room("Sum up.") - room("x".repeat(3_800))).toBeWithin(995, 1_001);
    const small = { ...wide, windowTokens: 5_000 };
    expect(ask(talk(9_000), { model: small }).maxTokens).toBe(1_024);
  });

  test("allows for the error of the count, up to a tenth of the window", () => {
    const one = new Builder();
    for (let turn = 0; turn < 20; turn++) {
      one.user(`Question ${turn}.`);
      one.answer([say(prose(2_000))], { usage: noUsage });
    }
    const { usedTokens, errorTokens } = read(one, wide, defaultPolicy);
    expect(errorTokens).toBeGreaterThan(2_000);
    const room = ask(one, { model: { ...wide, windowTokens: 20_000 } }).maxTokens;
    expect(room).toBeWithin(18_000 - usedTokens - 50, 18_000 - usedTokens);
  });

  test("leaves out what comes after the span", () => {
    const one = talk(2_000);
    const model = { ...wide, windowTokens: countTokens(one.view.messages) + 6_000 };
    const before = ask(one, { model }).maxTokens;
    one.step("a", prose(6_000));
    const after = ask(one, { model });
    const less = ask(one, { model, to: "e40" });
    expect(less.maxTokens - after.maxTokens).toBeWithin(450, 700);
    expect(Math.abs(after.maxTokens - before)).toBeLessThan(1_200);
    expect(after.messages).toHaveLength(41);
  });
});

test("the room for an answer is what is left of the window, with the error of the count, at least 1,024 tokens", () => {
  const one = talk(2_000);
  const { usedTokens, errorTokens } = read(one, wide, defaultPolicy);
  const room = (left: number) => {
    const windowTokens = usedTokens + errorTokens + left;
    return buildRequest(one.view, { ...wide, windowTokens }, defaultPolicy).maxTokens;
  };
  expect(room(5_000)).toBe(5_000);
  expect(room(50_000)).toBe(32_000);
  expect(room(100 - errorTokens)).toBe(1_024);
});

test.each([true, false])(
  "for another model, thinking is left out, and what an answer and the server's summary say stays; is the question covered: %p",
  (isCovered) => {
    const one = new Builder();
    const block = serverSummary();
    const question = say("Question.");
    one.turn("First.", "Done.");
    if (isCovered) one.user(question.text);
    one.cover("e2", isCovered ? "e4" : "e3", "Sum.", { block });
    if (!isCovered) one.user(question.text);
    one.answer([think("A thought."), say("An answer.")]);
    one.user("And now?");
    const asked = (writer?: ModelRules) => ask(one, { to: "e6", writer }).messages;
    expect(asked({ ...wide, model: "m2" }).map(({ content }) => content)).toEqual([
      [say("Sum."), ...(isCovered ? [] : [question])],
      [say("An answer.")],
      [say("Sum up.")],
    ]);
    expect(asked()[0]?.content[0]).toEqual(block);
  },
);
