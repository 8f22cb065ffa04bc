import { expect, test } from "bun:test";
import type { MeterReading } from "../../../src/context/types.ts";
import {
  layoutBar,
  layoutMeter,
  type MeterInput,
  type Segment,
} from "../../../src/ui/meter/layout.ts";

const reading = (usedTokens: number): MeterReading => ({
  usedTokens,
  errorTokens: 900,
  windowTokens: 200_000,
  effectiveTokens: 180_000,
  utilization: usedTokens / 180_000,
  leftTokens: 180_000 - usedTokens,
  breakdown: {
    system: 0,
    tools: 0,
    instructions: 0,
    user: 0,
    assistant: usedTokens,
    thinking: 0,
    toolInputs: 0,
    toolResults: 0,
    summary: 0,
  },
  cache: { state: "hot", expiresAtMs: 252_000, tokens: 90_000, headTtl: "1h" },
  idleMs: 48_000,
  cost: { session: 1.234, lastCall: 0.05 },
});

const input = (used: number, more: Partial<MeterInput> = {}): MeterInput => ({
  reading: reading(used),
  liveTokens: 0,
  forecast: { bySize: null, whenCold: null },
  nowMs: 0,
  model: "sonnet",
  mode: "default",
  hasSandbox: true,
  ...more,
});

const cut = {
  tier: "microcompact",
  action: "clear 21 old results",
  freesTokens: 38_000,
  usd: 0,
  isEstimate: false,
} as const;

const text = (segments: readonly Segment[]): string => segments.map((one) => one.text).join("");

const line = (used: number, width: number): string => text(layoutMeter(input(used), width));

test.each([
  [120, "▐███████░░░░░▌  100k of 180k · 56 %  cache 5 min  $1.23   sonnet · asks before edits"],
  [80, "▐████░░░░▌  100k of 180k · 56 %  cache 5 min  $1.23   sonnet · asks before edits"],
  [60, "▐████░░░░▌  100k of 180k · 56 %  $1.23   asks before edits"],
])("at %d columns", (width, expected) => {
  expect(line(100_000, width).replace(/ {2,}(?=sonnet|asks)/, "   ")).toBe(expected);
});

test("never overflows the width, however full the window is", () => {
  for (const used of [0, 1, 90_000, 153_000, 180_000, 400_000]) {
    for (let width = 4; width <= 140; width++) {
      expect(Bun.stringWidth(line(used, width))).toBeLessThanOrEqual(width);
    }
  }
});

test.each([40, 60, 76, 80, 96, 100, 120, 160, 200])(
  "at %d columns neither the bar nor the facts beside it change with a digit",
  (width) => {
    const bySize = { ...cut, asks: false, atTokens: 153_000 };
    const shapeOf = (used: number): string =>
      text(layoutMeter(input(used, { forecast: { bySize, whenCold: null } }), width))
        .replace(/[█░╎]/g, "_")
        .replace(/~?[\d.]+k? of 180k · \d+ %/, "N of 180k")
        .replace(/ {2,}/g, "  ");
    const shapes = [900, 999, 4_960, 5_040, 9_900, 18_000, 95_000, 140_000].map(shapeOf);
    expect(new Set(shapes).size).toBe(1);
  },
);

test("the bar is stacked by what fills the context, and grows with the stream", () => {
  const { breakdown, ...rest } = reading(90_000);
  const shares = { system: 18_000, user: 18_000, assistant: 18_000, toolResults: 36_000 };
  const stacked = { ...rest, breakdown: { ...breakdown, ...shares } };
  const bar = (liveTokens: number): string =>
    text(layoutBar(input(0, { reading: stacked, liveTokens }), 20));
  expect(bar(0)).toBe("▐██▓▓██▒▒▒▒░░░░░░░░░░▌");
  expect(bar(36_000)).toBe("▐██▓▓██████▒▒▒▒░░░░░░▌");
});

test("an uncertain estimate is marked, a small error is not", () => {
  expect(line(2_500, 100)).toContain("~2.5k of 180k");
  expect(line(100_000, 100)).not.toContain("~");
});

test("bypass is shown in red at any width", () => {
  for (let width = 20; width <= 140; width++) {
    const segments = layoutMeter(input(100_000, { mode: "bypass" }), width);
    expect(segments.find(({ role }) => role === "bad")?.text.trim()).toBe("no approvals");
    expect(Bun.stringWidth(text(segments))).toBeLessThanOrEqual(width);
  }
  expect(text(layoutMeter(input(100_000, { mode: "bypass" }), 36))).toBe(
    "100k of 180k · 56 %  no approvals",
  );
  expect(text(layoutMeter(input(100_000, { mode: "bypass" }), 20))).toBe("56 %  no approvals");
});

test("the next compaction is marked on the bar and named", () => {
  const bySize = { ...cut, asks: false, atTokens: 135_000 };
  const shown = text(layoutMeter(input(45_000, { forecast: { bySize, whenCold: null } }), 140));
  expect(shown).toContain("▐████░░░░░░╎░░░▌");
  expect(shown).toContain("next: clear 21 old results (−38k) at 135k");
});

test("in less room the forecast is shorter; without its name nothing is marked", () => {
  const bySize = { ...cut, asks: false, atTokens: 135_000 };
  const at = (width: number): string =>
    text(layoutMeter(input(45_000, { forecast: { bySize, whenCold: null } }), width));
  expect(at(110)).toContain("  clears results at 135k");
  expect(at(80)).toContain("  compacts at 135k");
  for (let width = 20; width <= 140; width++)
    expect(at(width).includes("╎")).toBe(/next|clears|compacts/.test(at(width)));
});

test("says when a compaction is due, asks first, or waits for the cache", () => {
  const due = { bySize: { ...cut, asks: true, atTokens: 45_000 }, whenCold: null };
  expect(text(layoutMeter(input(45_000, { forecast: due }), 170))).toContain(
    "next: ask to clear 21 old results (−38k) with your next message",
  );
  expect(text(layoutMeter(input(45_000, { forecast: due }), 120))).toContain(
    "  asks to summarize next turn",
  );
  const cold = { bySize: null, whenCold: { ...cut, asks: false, atMs: 1 } };
  expect(text(layoutMeter(input(45_000, { forecast: cold }), 150))).toContain(
    "next: clear 21 old results (−38k) when the cache expires",
  );
  expect(text(layoutMeter(input(45_000, { forecast: cold }), 110))).toContain(
    "  clears results when cold",
  );
});

test("says nothing if no compaction will happen", () => {
  expect(line(45_000, 150)).not.toContain("next");
});

test("a missing sandbox is shown beside the mode, and left out before the mode", () => {
  const at = (width: number): string =>
    text(layoutMeter(input(100_000, { hasSandbox: false }), width));
  expect(at(100)).toEndWith("sonnet · asks before edits · no sandbox");
  expect(at(70)).toEndWith("  asks before edits · no sandbox");
  expect(at(46)).not.toContain("no sandbox");
});
