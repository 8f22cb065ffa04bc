import { expect, test } from "bun:test";
import { noUsage } from "../../../src/protocol/model.ts";
import type { TurnReport } from "../../../src/headless/print/run-stats.ts";
import { missingAnswer } from "../../../src/headless/print/print.ts";

const report = (structured?: unknown): TurnReport => ({
  end: { why: "done" },
  answer: "In words.",
  calls: 1,
  usage: noUsage,
  stop: "end_turn",
  durationMs: 1,
  apiMs: 1,
  denied: [],
  ...(structured === undefined ? {} : { structured }),
  totalUsd: 0,
  budget: [],
  models: new Map(),
});

test("the model is reminded five times, then the turn has failed; the next turn begins again", () => {
  const missing = missingAnswer();
  const outcomes = () => Array.from({ length: 6 }, () => missing(report()));
  for (const six of [outcomes(), outcomes()]) {
    expect(six.map((one) => one && "content" in one)).toEqual([
      ...Array.from({ length: 5 }, () => true),
      false,
    ]);
    expect(six[5]).toMatchObject({ why: "failed", limit: "structured" });
  }
});

test("an answer in the form ends the reminders, and gives the next turn all of them", () => {
  const missing = missingAnswer();
  missing(report());
  expect(missing(report({ n: 1 }))).toBeNull();
  for (let count = 0; count < 5; count++)
    expect(missing(report())).toMatchObject({ content: [{ type: "text" }] });
  expect(missing(report())).toMatchObject({ why: "failed" });
});
