/** What a summary may cover: whole exchanges, neither the open one nor a part of another summary. */

import { describe, expect, test } from "bun:test";
import { summaryPlan, whyNoSummary } from "../../src/context/ladder.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { begin, Builder, call, rules, say } from "./build.ts";
import { readSignals } from "./compact.ts";
import { prose } from "./sessions.ts";
import { told } from "./summary/say.ts";

/** Text that alone is worth a summary. */
const long = prose(1_500);

/** Two turns, the second with two calls at once (e7 to e9), and the message of a third (e11). */
function turns(): Builder {
  const one = begin(long);
  one.step("a", long);
  one.answer([say(long)]);
  one.user(long);
  one.answer([call("b"), call("c")]);
  one.result("b", long);
  one.result("c", long);
  one.answer([say(long)]);
  one.user("Third.");
  return one;
}

type Ends = [from: string, to: string] | null;
type Range = NonNullable<Parameters<typeof summaryPlan>[1]>;

/** What a requested summary covers; null: there is nothing. */
function ends(one: Builder, range?: Range, keepTurns = 1): Ends {
  const policy = { ...defaultPolicy, summary: { ...defaultPolicy.summary, keepTurns } };
  const now = readSignals(one, { ...rules, windowTokens: 200_000 }, policy);
  const plan = summaryPlan(now, range);
  if (!plan) expect(whyNoSummary(now, range)).toBe("Nothing to compact yet.");
  return plan && "summarize" in plan ? [plan.summarize.from, plan.summarize.to] : null;
}

describe("a picked range", () => {
  test.each<[Range, Ends]>([
    [{}, ["e2", "e10"]],
    [{ to: "e11" }, ["e2", "e10"]],
    [{ to: "e3" }, ["e2", "e4"]],
    [{ to: "e8" }, ["e2", "e9"]],
    [{ to: "e6" }, ["e2", "e6"]],
    [{ to: "e2" }, null],
    [{ to: "e99" }, null],
    [{ from: "e1" }, ["e1", "e10"]],
    [{ from: "e6" }, ["e6", "e10"]],
    [{ from: "e8" }, ["e7", "e10"]],
    [{ from: "e10" }, ["e7", "e10"]],
    [{ from: "e11" }, null],
    [{ from: "e99" }, null],
    [{ from: "e6", to: "e4" }, null],
    [{ from: "e6", to: "e6" }, ["e6", "e6"]],
    [{ from: "e5", to: "e7" }, ["e3", "e9"]],
  ])("%j is widened to whole exchanges: %j", (range, expected) => {
    expect(ends(turns(), range)).toEqual(expected);
  });

  test("begins and ends with something that is sent", () => {
    const one = new Builder();
    for (const title of ["A title", "Another"]) {
      one.turn(long, long);
      one.add({ type: "note", kind: "title", text: title });
    }
    one.user("Third.");
    expect(ends(one, { from: "e4" })).toEqual(["e3", "e6"]);
    expect(ends(one, { to: "e4" })).toEqual(["e2", "e3"]);
  });

  test("takes an earlier summary whole, at its start and at its end", () => {
    const one = turns();
    one.cover("e6", "e10", long);
    expect(ends(one, { to: "e8" })).toEqual(["e2", "e10"]);
    expect(ends(one, { from: "e5" })).toEqual(["e3", "e10"]);
    expect(ends(one, { to: "e5" })).toEqual(["e2", "e5"]);
    const again = turns();
    again.cover("e2", "e5", long);
    expect(ends(again, { from: "e4", to: "e6" })).toEqual(["e2", "e6"]);
  });

  test("leaves out what precedes the conversation", () => {
    const one = new Builder();
    one.add(told("instructions", "AGENTS.md", "Hi."));
    one.turn(long, long);
    one.user("Second.");
    expect(ends(one, {})).toEqual(["e3", "e4"]);
  });
});

describe("without a range, the newest exchange is kept", () => {
  test("open: its calls wait for the model", () => {
    const one = begin();
    one.step("a", long);
    one.step("b", "text");
    expect(ends(one)).toEqual(["e2", "e4"]);
    expect(ends(one, { to: "e6" })).toEqual(["e2", "e4"]);
  });

  test("answered: the answer is kept, if its turn is nearly everything", () => {
    const one = turns();
    one.answer([say("Third, done.")]);
    expect(ends(one)).toEqual(["e2", "e10"]);
    one.turn("x".repeat(90_000), "Fourth, done.");
    expect(ends(one)).toEqual(["e2", "e13"]);
  });
});

describe("a turn begins", () => {
  /** The last entries before the newest turns. */
  const before = (one: Builder, keepTurns = 1) => ends(one, undefined, keepTurns)?.[1];

  test("with what was said to the model before the message", () => {
    const one = turns();
    one.answer([say("Done.")]);
    one.add(told("reminder", "t", "News."));
    one.add({ type: "note", kind: "title", text: "A title" });
    one.user("Fourth.");
    expect([1, 2].map((kept) => before(one, kept))).toEqual(["e12", "e10"]);
  });

  test("with the call that a message was typed after", () => {
    const one = turns();
    one.step("d", "text");
    one.step("e", "text");
    one.user("Wait.");
    expect([1, 2].map((kept) => before(one, kept))).toEqual(["e13", "e10"]);
  });

  test("earlier, unless what is before it is less than half of everything", () => {
    const kept = (second: number): Ends => {
      const one = new Builder();
      for (const words of [400, second, 1, 1]) one.turn("Go on.", "word ".repeat(words));
      return ends(one, undefined, 3);
    };
    expect(kept(380)).toEqual(["e2", "e3"]);
    expect(kept(420)).toEqual(["e2", "e5"]);
  });

  test("with the whole session, where its first message is lost", () => {
    const one = new Builder();
    one.step("a", long);
    one.answer([say("Done.")]);
    expect(ends(one, {})).toEqual(["e2", "e4"]);
  });
});

test("what a new summary would replace is neither pinned nor summarized nor unsent", () => {
  const one = new Builder();
  for (const text of ["First.", "Second."]) one.turn(text, "x".repeat(250));
  one.user("Third.");
  const fresh = (): string => {
    const now = readSignals(one, rules, defaultPolicy);
    expect(summaryPlan(now, {})).toBeNull();
    return /(?:only|everything) .*/.exec(whyNoSummary(now, {}))?.[0] ?? "";
  };
  const tokens = () => Number(/\d+/.exec(fresh())?.[0]);
  const all = tokens();
  one.add({ type: "pin", entry: "e3", on: true });
  expect(all - tokens()).toBeWithin(78, 84);
  one.cover("e4", "e5");
  expect(tokens()).toBeWithin(1, 12);
  one.cover("e2", "e5");
  expect(fresh()).toBe("everything before the newest turn is summarized or pinned.");
});

test("a summary of less than 200 tokens is not worth it", () => {
  const seen = new Set<boolean>();
  for (let chars = 500; chars < 700; chars++) {
    const one = new Builder();
    one.turn("x".repeat(chars), "Yes.");
    one.user("Second.");
    const now = readSignals(one, rules, defaultPolicy);
    const isMade = summaryPlan(now, {}) !== null;
    expect(isMade).toBe(Number(/\d+/.exec(whyNoSummary(now, {}))?.[0]) >= 200);
    seen.add(isMade);
  }
  expect(seen.size).toBe(2);
});
