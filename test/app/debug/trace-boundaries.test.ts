import { expect, test } from "bun:test";
import type { Fact } from "../../../src/protocol/entry.ts";
import { says, user } from "../../context/summary/say.ts";
import { world, writes, type World } from "../../agent/compaction/harness.ts";
import { logFile } from "./log-file.ts";

const never = new AbortController().signal;
const approvals = { ask: () => Promise.reject(new Error("Nobody is to be asked here.")) };
const turns = (count: number): Fact[] =>
  Array.from({ length: count }, (_, turn) => [
    user(`turn ${turn}`),
    says("word ".repeat(1_200)),
  ]).flat();

function traced(one: World) {
  const { log, lines } = logFile();
  return { boundaries: log.boundaries(one.boundaries, one.session), lines };
}

test("each boundary is written with the numbers it decides on, even when nothing is cut", async () => {
  const one = world([], { policy: { policy: "thresholds" } });
  await one.add(...turns(2), user("next"));
  const { boundaries, lines } = traced(one);
  await one.run(boundaries.turnStart(never, approvals));
  await one.run(boundaries.beforeCall(never));
  const numbers =
    /: 3,\d{3} of 87,500 tokens \(3 %\), cache none with 0, policy thresholds; no cut$/;
  expect(lines()).toHaveLength(2);
  expect(lines()[0]).toMatch(new RegExp(`^tiers turnStart${numbers.source}`));
  expect(lines()[1]).toMatch(new RegExp(`^tiers beforeCall${numbers.source}`));
  expect(one.session.view.cuts).toEqual([]);
});

test("the plan is written with its reason and price before it is carried out", async () => {
  const one = world([writes()], {
    rules: { windowTokens: 12_000 },
    policy: { reserveTokens: 3_000, policy: "thresholds" },
  });
  await one.add(...turns(8), user("next"));
  const { boundaries, lines } = traced(one);
  await one.run(boundaries.turnStart(never, approvals));
  expect(one.cut().tier).toBe("summary");
  expect(lines()[0]).toMatch(
    /tokens \(1\d\d %\), cache .*; summary: .* \(a summary, [\d,]+ to about [\d,]+ tokens\)$/,
  );
  expect(lines()[0]).toContain(one.cut().reason);
});

test("a refusal by the server is written with the sizes it gave", async () => {
  const one = world([writes(), writes()], { rules: { windowTokens: 12_000 } });
  await one.add(...turns(4), user("next"));
  const { boundaries, lines } = traced(one);
  await one.run(boundaries.tooLong({ tokens: 9_000, limit: 8_000 }, never));
  await one.run(boundaries.tooLong(undefined, never));
  expect(lines()).toEqual([
    "tiers the server says the prompt is too long: 9,000 of 8,000 tokens",
    "tiers the server says the prompt is too long: no sizes",
  ]);
});
