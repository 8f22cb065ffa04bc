/**
 * What a summary may cover: whole exchanges, but neither the open one nor a part of another
 * summary.
 */

import { describe, expect, test } from "bun:test";
import {
  freshTokens,
  signedSpan,
  spanBeforeExchange,
  spanBeforeTurn,
  spanBeforeTurns,
  spanWithin,
  turnStart,
  wholeSpans,
} from "../../src/context/summary/span.ts";
import { rowTokens } from "../../src/context/view/rows.ts";
import { Builder, call, rules, say } from "./build.ts";

/** Two turns, the second with two calls at once (e7 to e9), and the message of a third (e11). */
function turns(): Builder {
  const one = new Builder();
  one.user("First.");
  one.step("a", "text");
  one.answer([say("Done.")]);
  one.user("Second.");
  one.answer([call("b"), call("c")]);
  one.result("b", "text");
  one.result("c", "text");
  one.answer([say("Done.")]);
  one.user("Third.");
  return one;
}

type Ends = [from: string, to: string] | null;
type Range = Parameters<typeof spanWithin>[1];

const ends = (span: ReturnType<typeof spanWithin>): Ends => span && [span.from, span.to];

describe("a picked range", () => {
  test.each<[Range, Ends]>([
    [{}, ["e2", "e10"]],
    [{ to: "e11" }, ["e2", "e10"]],
    [{ to: "e10" }, ["e2", "e10"]],
    [{ to: "e3" }, ["e2", "e4"]],
    [{ to: "e7" }, ["e2", "e9"]],
    [{ to: "e8" }, ["e2", "e9"]],
    [{ to: "e6" }, ["e2", "e6"]],
    [{ to: "e2" }, null],
    [{ to: "e99" }, null],
    [{ from: "e6" }, ["e6", "e10"]],
    [{ from: "e8" }, ["e7", "e10"]],
    [{ from: "e10" }, ["e7", "e10"]],
    [{ from: "e11" }, null],
    [{ from: "e99" }, null],
    [{ from: "e6", to: "e4" }, null],
    [{ from: "e6", to: "e6" }, ["e6", "e6"]],
    [{ from: "e5", to: "e7" }, ["e3", "e9"]],
  ])("%j is widened to whole exchanges: %j", (range, expected) => {
    expect(ends(spanWithin(turns().view, range))).toEqual(expected);
  });

  test("begins and ends with something that is sent", () => {
    const one = new Builder();
    one.user("First.");
    one.answer([say("Done.")]);
    one.add({ type: "note", kind: "title", text: "A title" });
    one.user("Second.");
    one.answer([say("Done.")]);
    one.add({ type: "note", kind: "title", text: "Another" });
    one.user("Third.");
    expect(ends(spanWithin(one.view, { from: "e4" }))).toEqual(["e3", "e6"]);
    expect(ends(spanWithin(one.view, { to: "e4" }))).toEqual(["e2", "e3"]);
  });

  test("takes an earlier summary whole, at its start and at its end", () => {
    const one = turns();
    one.cover("e6", "e10");
    expect(ends(spanWithin(one.view, { to: "e8" }))).toEqual(["e2", "e10"]);
    expect(ends(spanWithin(one.view, { from: "e10" }))).toEqual(["e6", "e10"]);
    expect(ends(spanWithin(one.view, { to: "e5" }))).toEqual(["e2", "e5"]);
  });

  test("leaves out what precedes the conversation", () => {
    const one = new Builder();
    one.add({ type: "context", kind: "instructions", title: "AGENTS.md", content: [say("Hi.")] });
    one.user("First.");
    one.answer([say("Done.")]);
    one.user("Second.");
    expect(ends(spanBeforeTurn(one.view))).toEqual(["e3", "e4"]);
  });
});

describe("the newest exchange is kept", () => {
  test("open: its calls wait for the model", () => {
    const one = new Builder();
    one.user("Go.");
    one.step("a", "text");
    one.step("b", "text");
    expect(ends(spanBeforeExchange(one.view))).toEqual(["e2", "e4"]);
  });

  test("answered: the answer is kept", () => {
    const one = turns();
    one.answer([say("Third, done.")]);
    expect(ends(spanBeforeExchange(one.view))).toEqual(["e2", "e11"]);
  });

  test("not answered yet: the message is kept", () => {
    expect(ends(spanBeforeExchange(turns().view))).toEqual(["e2", "e10"]);
  });
});

describe("a turn begins", () => {
  const findStart = (one: Builder, nth?: number) =>
    one.view.rows[turnStart(one.view, nth)]?.entry.id;

  test("with its message", () => {
    expect([1, 2, 3].map((nth) => findStart(turns(), nth))).toEqual(["e11", "e6", "e2"]);
  });

  test("with what was said to the model before the message", () => {
    const one = turns();
    one.answer([say("Done.")]);
    one.add({ type: "context", kind: "reminder", title: "t", content: [say("News.")] });
    one.add({ type: "note", kind: "title", text: "A title" });
    one.user("Fourth.");
    expect(findStart(one)).toBe("e13");
  });

  test("with the call that a message was typed after", () => {
    const one = turns();
    one.step("d", "text");
    one.step("e", "text");
    one.user("Wait.");
    expect(findStart(one)).toBe("e14");
    expect(findStart(one, 2)).toBe("e11");
  });
});

test("what a new summary would replace is neither pinned nor summarized nor unsent", () => {
  const one = turns();
  const tokens = rowTokens(one.view, rules);
  const sum = (...rows: number[]): number => rows.reduce((all, row) => all + (tokens[row] ?? 0), 0);
  const fresh = (from = "e2", to = "e10") => freshTokens(one.view, { from, to }, rules);
  expect(fresh()).toBe(sum(1, 2, 3, 4, 5, 6, 7, 8, 9));
  one.add({ type: "pin", entry: "e4", on: true });
  expect(fresh()).toBe(sum(1, 2, 4, 5, 6, 7, 8, 9));
  one.cover("e6", "e9");
  expect(fresh()).toBe(sum(1, 2, 4, 9));
  expect(fresh("e10", "e12")).toBe(sum(9, 10));
});

test("fewer turns are kept if they hold more than half of everything", () => {
  const before = (second: number): Ends => {
    const one = new Builder();
    for (const words of [100, second, 1, 1]) {
      one.user("Go on.");
      one.answer([say("word ".repeat(words))]);
    }
    return ends(spanBeforeTurns(one.view, 3, rules));
  };
  expect(before(90)).toEqual(["e2", "e3"]);
  expect(before(110)).toEqual(["e2", "e5"]);
});

test("without a message of the user, everything is before the newest turn", () => {
  const one = new Builder();
  one.answer([call("a")]);
  one.result("a", "text");
  one.answer([say("Done.")]);
  expect(ends(spanBeforeTurn(one.view))).toEqual(["e2", "e4"]);
});

test("a span is widened to whole summaries, and the server's to the first thing that is sent", () => {
  const one = new Builder();
  one.add({ type: "context", kind: "environment", title: "env", content: [say("Linux")] });
  for (const words of ["First.", "Second."]) {
    one.user(words);
    one.answer([say("Done.")]);
  }
  one.cover("e3", "e4");
  expect(ends(wholeSpans(one.view, { from: "e4", to: "e6" }))).toEqual(["e3", "e6"]);
  expect(ends(wholeSpans(one.view, { from: "e5", to: "e6" }))).toEqual(["e5", "e6"]);
  expect(ends(signedSpan(one.view, { from: "e5", to: "e6" }))).toEqual(["e2", "e6"]);
});
