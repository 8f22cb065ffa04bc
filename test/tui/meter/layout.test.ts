import { expect, test } from "bun:test";
import type { MeterReading } from "../../../src/context/types.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { layoutBar, layoutMeter } from "../../../src/tui/meter/layout.ts";

const reading = (usedTokens: number): MeterReading => ({
  usedTokens,
  errorTokens: 900,
  windowTokens: 200_000,
  effectiveTokens: 180_000,
  utilisation: usedTokens / 180_000,
  leftTokens: 180_000 - usedTokens,
  breakdown: {
    system: 0,
    tools: 0,
    instructions: 0,
    user: 0,
    assistant: 0,
    thinking: 0,
    toolInputs: 0,
    toolResults: 0,
    summary: 0,
  },
  cache: { state: "hot", expiresAtMs: 252_000, tokens: 90_000, headTtl: "5m" },
  idleMs: 48_000,
  cost: { session: 1.234, lastCall: 0.05 },
});

const next = {
  tier: "snip",
  action: "drop 4 stale results",
  freesTokens: 9_000,
  asks: false,
  atTokens: 108_000,
} as const;

const line = (used: number, width: number): string =>
  layoutMeter(
    { reading: reading(used), liveTokens: 0, policy: defaultPolicy, next, nowMs: 0 },
    width,
  )
    .map(({ text }) => text)
    .join("");

test.each([
  [
    120,
    "━━━━━━━━━━━━━━━╪━─┼──┼───┼──── 56% 100k/200k 80.0k left cache 4:12 $1.23 (last $0.05) snip in 8.0k ±900",
  ],
  [80, "━━━━━━━━━━━━━━━╪━─┼──┼───┼──── 56% 100k±900/200k snip in 8k hot 4:12 $1.23+0.05"],
  [60, "━━━━━╪┼┼─┼─ 56% 100k±900/200k snip in 8k hot 4:12 $1.23+0.05"],
  [40, "━━━━━╪┼┼─┼─ 56% 100k±900/200k snip in 8k"],
  [20, "━━━━━━━━╪┼─┼─┼── 56%"],
])("at %d columns", (width, expected) => {
  const shown = line(100_000, width);
  expect(Bun.stringWidth(shown)).toBeLessThanOrEqual(width);
  expect(shown).toBe(expected);
});

test("no width overflows, however full the window is", () => {
  for (const used of [0, 1, 90_000, 153_000, 180_000, 400_000]) {
    for (let width = 4; width <= 140; width++) {
      expect(Bun.stringWidth(line(used, width))).toBeLessThanOrEqual(width);
    }
  }
});

test("the ladder is on the bar, and the stream that grows fills it", () => {
  const bar = (liveTokens: number): string =>
    layoutBar({ reading: reading(0), liveTokens, policy: defaultPolicy, next, nowMs: 0 }, 20)
      .map(({ text }) => text)
      .join("");
  expect(bar(0)).toBe("──────────┼─┼─┼──┼──");
  expect(bar(90_000)).toBe("━━━━━━━━━━┼─┼─┼──┼──");
  expect(bar(180_000)).toBe("━━━━━━━━━━╪━╪━╪━━╪━━");
});
