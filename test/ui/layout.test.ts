/** The rows of a screen of any size, in any state. */

import { expect, jest, onTestFinished, test } from "bun:test";
import fc from "../properties.ts";
import { Builder, say } from "../context/build.ts";
import { askAbout } from "../questions.ts";
import { stage, type Stage } from "./stage.ts";

const states: [name: string, (on: Stage) => Promise<void>][] = [
  ["at rest", async () => {}],
  ["menu", (on) => on.press("/")],
  ["long draft", (on) => on.press("word ".repeat(150))],
  [
    "queue and message",
    async (on) => {
      await on.tell(
        { type: "phase", phase: "tools" },
        { type: "queue", waiting: ["one", "two", "three", "four", "five"] },
      );
      on.controller.actions.notify("A long message. ".repeat(20));
    },
  ],
  ["panel", (on) => on.press("<f1>")],
  ["question", (on) => on.tell({ type: "ask", ask: askAbout("ls\n".repeat(20)) })],
  [
    "question under a draft",
    async (on) => {
      await on.press("word ".repeat(150));
      await on.tell({ type: "ask", ask: askAbout("ls") });
    },
  ],
];

test.each(states)(
  "%s: parts add up to the height, and the transcript keeps a line",
  async (_, enter) => {
    const built = new Builder();
    built.user("hello");
    built.answer([say("row\n\n".repeat(30))]);
    const on = stage(built);
    await enter(on);
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 140 }),
        fc.integer({ min: 8, max: 60 }),
        (columns, rows) => {
          const { budget, transcript } = on.layout(columns, rows);
          const { start, overlay, activity, notices, completion, status, prompt, isRoomy } = budget;
          const parts = [start, budget.transcript, overlay, activity, notices, completion, status];
          for (const part of parts) expect(part).toBeGreaterThanOrEqual(0);
          const gaps = [budget.hasAir, budget.hasGap].filter(Boolean).length;
          const meter = 1;
          const used = parts.reduce((sum, part) => sum + part, 0) + gaps + meter;
          expect(used + prompt.lines.length + (isRoomy ? 2 : 0)).toBe(rows);
          expect(budget.transcript).toBeGreaterThanOrEqual(1);
          expect(transcript.lines.length).toBeLessThanOrEqual(budget.transcript);
          expect(on.rows(columns, rows)).toHaveLength(rows);
          for (const row of on.rows(columns, rows))
            expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns);
        },
      ),
      { numRuns: 12 },
    );
  },
);

test("a roomy screen has gutters, rules and air; a small one has none of them", () => {
  const built = new Builder();
  built.user("hello");
  const on = stage(built);
  const facts = (columns: number, rows: number) => {
    const { gutter, isRoomy, hasGap, fits } = on.layout(columns, rows).budget;
    return { gutter, isRoomy, hasGap, fits };
  };
  expect(facts(60, 14)).toEqual({ gutter: 2, isRoomy: true, hasGap: true, fits: true });
  expect(facts(59, 13)).toEqual({ gutter: 0, isRoomy: false, hasGap: false, fits: true });
  expect(facts(8, 3).fits).toBe(true);
  expect(facts(7, 3).fits).toBe(false);
  expect(facts(8, 2).fits).toBe(false);
  on.controller.actions.show({ kind: "todo" });
  expect(facts(20, 5).fits).toBe(true);
  expect(facts(19, 5).fits).toBe(false);
  expect(facts(20, 4).fits).toBe(false);
});

test("a question takes at most 70 % of the rows, all of a small screen, and all where it is opened in full", async () => {
  const on = stage(new Builder());
  await on.tell({ type: "ask", ask: askAbout("ls\n".repeat(100)) });
  on.wait(1_000);
  const overlay = (rows: number): number => on.layout(80, rows).budget.overlay;
  expect(overlay(40)).toBe(28);
  expect(overlay(13)).toBeGreaterThan(9);
  await on.press("f");
  expect(overlay(40)).toBeGreaterThan(28);
});

test("an idle screen is drawn again for the clock of the cache alone", () => {
  jest.useFakeTimers();
  onTestFinished(() => void jest.useRealTimers());
  const built = new Builder();
  built.user("hello");
  built.answer([say("Hi.")]);
  const on = stage(built, { nowMs: built.nowMs + 1_000 });
  const drawn = (): boolean => {
    const { revision } = on.store;
    jest.advanceTimersByTime(60_000);
    return on.store.revision > revision;
  };
  expect(on.store.reading.cache.state).toBe("hot");
  expect(drawn()).toBe(true);
  on.wait(3_600_000);
  expect(on.store.reading.cache.state).toBe("cold");
  drawn();
  expect(drawn()).toBe(false);
});
