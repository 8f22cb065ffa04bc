/** With `autoCompact: "ask"` the user decides about automatic summaries. */

import { bareRules } from "../../bare-rules.ts";
import { expect, test } from "bun:test";
import type { Answer } from "../../../src/protocol/command.ts";
import type { Ask } from "../../../src/protocol/event.ts";
import { says, user } from "../../context/summary/say.ts";
import { of } from "../harness.ts";
import { world, writes, type World, type WorldOptions } from "./harness.ts";

const long = "The parser reads a token and looks at the next one. ".repeat(250);

const asking: WorldOptions = {
  policy: { ...bareRules, autoCompact: "ask" },
  rules: { windowTokens: 34_000 },
};

/** A conversation that is due for a summary, though the next request would still fit. */
async function nearlyFull(): Promise<World> {
  const one = await world([writes(), writes()], asking);
  const turns = Array.from({ length: 8 }, (_, turn) => [user(`turn ${turn}`), says(long)]).flat();
  await one.add(...turns, user("go on"), { type: "count", tokens: 26_000 });
  return one;
}

/** Passes the start of a turn; returns the questions that were asked. */
async function turnStart(one: World, answer: Answer): Promise<Ask[]> {
  const asked: Ask[] = [];
  const ask = (question: Ask): Promise<Answer> => {
    asked.push(question);
    return Promise.resolve(answer);
  };
  await one.run(one.boundaries.turnStart(new AbortController().signal, { ask }));
  return asked;
}

const cuts = (one: World): number => of(one.log.path, "cut").length;

test("the question says what a summary would save and cost; then it is made", async () => {
  const one = await nearlyFull();
  const percent = Math.round(one.session.reading.utilization * 100);
  const [ask, ...more] = await turnStart(one, { allow: true, scope: "once" });
  expect(more).toEqual([]);
  expect(ask).toMatchObject({ tool: "Compact", rule: "summarize automatically" });
  expect(ask?.title).toBe(`Summarize the conversation? The context is ${percent} % full`);
  expect(ask?.detail).toMatch(
    /^About [\d,]+ tokens become about [\d,]+\. Costs about \$\d\.\d\d, pays off after \d+ calls?\.\n/,
  );
  expect(cuts(one)).toBe(1);
  const questions = one.events.filter(({ type }) => type === "ask" || type === "asked");
  expect(questions).toEqual([
    { type: "ask", ask: expect.objectContaining({ id: ask?.id }) },
    { type: "asked", id: ask?.id ?? "" },
  ]);
});

test("a declined summary is not offered again until the context has changed, even when resumed", async () => {
  const one = await nearlyFull();
  expect(await turnStart(one, { allow: false, reason: "not now" })).toHaveLength(1);
  expect(of(one.log.path, "attempt")).toMatchObject([
    { outcome: "declined", by: null, trigger: "auto", reason: "not now" },
  ]);
  expect(await turnStart(one, { allow: false })).toEqual([]);
  const resumed = await world([], { ...asking, log: one.log });
  expect(await turnStart(resumed, { allow: false })).toEqual([]);
  await one.add(says(long.slice(0, 6_800)), user("and on"));
  const [ask] = await turnStart(one, { allow: false });
  expect(of(one.log.path, "attempt").at(-1)?.reason).toBe(ask?.title);
  expect(cuts(one)).toBe(0);
});

test("once allowed for the session, later summaries need no question", async () => {
  const one = await nearlyFull();
  expect(await turnStart(one, { allow: true, scope: "session" })).toHaveLength(1);
  const turns = Array.from({ length: 8 }, (_, turn) => [says(long), user(`turn ${turn}`)]).flat();
  await one.add(...turns, { type: "count", tokens: 26_000 });
  expect(await turnStart(one, { allow: false })).toEqual([]);
  expect(cuts(one)).toBe(2);
});

test("a stop while the question is open does not answer it", async () => {
  const one = await nearlyFull();
  const stop = new AbortController();
  const ask = (): Promise<Answer> => {
    stop.abort();
    return Promise.resolve({ allow: false });
  };
  await one.run(one.boundaries.turnStart(stop.signal, { ask }));
  expect(of(one.log.path, "attempt")).toEqual([]);
});
