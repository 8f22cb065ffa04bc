import { expect, test } from "bun:test";
import type { MeterReading } from "../../../../src/context/types.ts";
import {
  layoutBar,
  layoutMeter as layoutParts,
  type MeterInput,
  type Segment,
} from "../../../../src/ui/components/meter/meter-line.ts";

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
  cache: { state: "hot", expiresAtMs: 252_000, tokens: 90_000 },
  idleMs: 48_000,
  cost: { session: 1.234, lastCall: 0.05 },
});

const input = (used: number, more: Partial<MeterInput> = {}): MeterInput => ({
  reading: reading(used),
  liveTokens: 0,
  draftTokens: 0,
  forecast: { bySize: null, whenCold: null },
  isPreparing: false,
  budget: [],
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

/** Both ends of the line, as one. */
function layoutMeter(of: MeterInput, width: number): Segment[] {
  const { left, right } = layoutParts(of, width);
  const room = width - Bun.stringWidth(text([...left, ...right]));
  return [...left, { role: "dim", text: " ".repeat(Math.max(0, room)) }, ...right];
}

const text = (segments: readonly Segment[]): string => segments.map((one) => one.text).join("");

const line = (used: number, width: number): string => text(layoutMeter(input(used), width));

test.each([120, 80, 60])("at %d columns", (width) => {
  expect(line(100_000, width)).toMatchSnapshot();
});

test("never overflows the width, however full the window is", () => {
  for (const used of [0, 1, 90_000, 153_000, 180_000, 400_000]) {
    for (let width = 8; width <= 140; width++) {
      expect(Bun.stringWidth(line(used, width))).toBeLessThanOrEqual(width);
    }
  }
});

test.each([40, 60, 76, 80, 96, 100, 120, 160, 200])(
  "at %d columns neither the bar nor the facts beside it change with a digit",
  (width) => {
    const bySize = { ...cut, asks: false, atTokens: 153_000 };
    const readShape = (used: number): string =>
      text(layoutMeter(input(used, { forecast: { bySize, whenCold: null } }), width))
        .replace(/~?[\d.]+k? of 180k · \d+ %/, "N of 180k")
        .replace(/[█▓▒░╎┊·▏▎▍▌▋▊▉]/g, "_")
        .replace(/ {2,}/g, "  ");
    const shapes = [900, 999, 4_960, 5_040, 9_900, 18_000, 95_000, 140_000].map(readShape);
    expect(new Set(shapes).size).toBe(1);
  },
);

const mixed = (shares: Partial<MeterReading["breakdown"]>, windowTokens = 180_000): MeterInput => {
  const { breakdown, ...rest } = reading(0);
  const usedTokens = Object.values(shares).reduce((sum, tokens) => sum + tokens, 0);
  return input(0, {
    reading: {
      ...rest,
      usedTokens,
      effectiveTokens: windowTokens,
      breakdown: { ...breakdown, ...shares },
    },
  });
};

test("the bar is stacked by what fills the context, and grows with the stream", () => {
  const shares = { system: 18_000, user: 18_000, assistant: 18_000, toolResults: 36_000 };
  const bar = (liveTokens: number): string => text(layoutBar({ ...mixed(shares), liveTokens }, 20));
  expect(bar(0)).toMatchInlineSnapshot(`"▐██▓▓███▓▓▓░░░░░░░░░░▌"`);
  expect(bar(36_000)).toMatchInlineSnapshot(`"▐██▓▓▓█████▓▓▓▓░░░░░░▌"`);
});

test("with 20k of 1M used, each part is seen", () => {
  const shares = { system: 4_000, user: 500, assistant: 3_000, toolResults: 12_000, summary: 500 };
  const segments = layoutBar(mixed(shares, 980_000), 36);
  expect(text(segments)).toMatchInlineSnapshot(`"▐▌▌▌▌▌░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▌"`);
  expect([...new Set(segments.map(({ role }) => role))]).toEqual([
    "meterFree",
    "meterSystem",
    "meterUser",
    "meterAnswers",
    "meterResults",
    "meterSummary",
  ]);
});

test("the bar never shrinks while more is used", () => {
  let before = 0;
  for (let used = 200; used <= 180_000; used += 2_000) {
    const filled = text(layoutBar(input(used), 30))
      .slice(1, -1)
      .replace(/[^█▏▎▍▌▋▊▉]/g, "").length;
    expect(filled).toBeGreaterThanOrEqual(before);
    before = filled;
  }
});

test("a draft is drawn hollow, with its size, and the forecast counts it", () => {
  const bySize = { ...cut, asks: false, atTokens: 110_000 };
  const forecast = { bySize, whenCold: null };
  const shown = text(layoutMeter(input(100_000, { draftTokens: 21_000, forecast }), 170));
  expect(shown).toMatch(/▎▒{5}░/);
  expect(shown).toContain("100k of 180k · 56 %  +~21k draft  next: clear 21 old results");
  expect(shown).toContain("with your next message");
  const narrow = text(layoutMeter(input(100_000, { draftTokens: 21_000, forecast }), 56));
  expect(narrow).toMatch(/▒.* 100k of 180k · 56 % .*ask$/);
});

test("it is calm: no color for a routine cut but its own, amber when high, red on overflow", () => {
  const roleAt = (used: number, atTokens = Infinity): string | undefined => {
    const bySize = { ...cut, asks: false, atTokens };
    const segments = layoutMeter(input(used, { forecast: { bySize, whenCold: null } }), 140);
    return segments.find(({ text: part }) => part.includes(" of 180k"))?.role;
  };
  expect(roleAt(76_000)).toBe("strong");
  expect(roleAt(76_000, 70_000)).toBe("strong");
  expect(roleAt(160_000)).toBe("meterMiddle");
  expect(roleAt(181_000)).toBe("meterHigh");
});

test("an uncertain estimate is marked, a small error is not", () => {
  expect(line(2_500, 100)).toContain("~2.5k of 180k");
  expect(line(100_000, 100)).not.toContain("~");
});

test("a cost at prices that are estimates is marked", () => {
  const known = reading(20_000);
  expect(text(layoutMeter(input(20_000), 120))).toContain("  $1.23");
  const guessed = { ...known, cost: { ...known.cost, isEstimate: true as const } };
  expect(text(layoutMeter(input(20_000, { reading: guessed }), 120))).toContain("  ~$1.23");
});

const modeWords = [
  ["default", "ask"],
  ["accept-edits", "edits"],
  ["auto", "auto"],
  ["plan", "plan"],
  ["bypass", "bypass"],
  ["dont-ask", "deny"],
] as const;

test("the mode leaves last, in one word; the cost is there from 80 columns on", () => {
  const bySize = { ...cut, asks: false, usd: 0.05, atTokens: 153_000 };
  for (const [mode, word] of modeWords) {
    for (let width = 20; width <= 196; width++) {
      const segments = layoutMeter(
        input(100_000, { mode, forecast: { bySize, whenCold: null } }),
        width,
      );
      const shown = segments.filter(({ text: part }) => part.trim() !== "").at(-1);
      expect(Bun.stringWidth(text(segments))).toBeLessThanOrEqual(width);
      if (width < 76) expect(shown?.text).toBe(word);
      else expect(text(segments)).toContain("  $1.23");
      if (mode === "bypass") expect(shown?.role).toBe("bad");
    }
  }
});

test("the next compaction is marked on the bar and named", () => {
  const bySize = { ...cut, asks: false, atTokens: 135_000 };
  const shown = text(layoutMeter(input(45_000, { forecast: { bySize, whenCold: null } }), 140));
  expect(shown).toContain("░╎░");
  expect(shown).toContain("next: clear 21 old results at 135k, frees 38k");
});

test("a size that reads like the one in use is named as a distance", () => {
  const bySize = { ...cut, asks: false, atTokens: 45_300 };
  const shown = text(layoutMeter(input(45_100, { forecast: { bySize, whenCold: null } }), 140));
  expect(shown).toContain("next: clear 21 old results in 200 tokens, frees 38k");
});

test("in less room the forecast is shorter, and stays when cost and cache are left out", () => {
  const bySize = { ...cut, asks: false, atTokens: 135_000 };
  const at = (width: number): string =>
    text(layoutMeter(input(45_000, { forecast: { bySize, whenCold: null } }), width));
  expect(at(116)).toContain("  next: clear 21 old results at 135k  $1.23 ");
  expect(at(76)).toContain("  clear at 135k  $1.23 ");
  expect(at(56)).toMatch(/  clear at 135k +ask$/);
});

test("says when a compaction is due, asks first, or waits for the cache", () => {
  const due = { bySize: { ...cut, asks: true, atTokens: 45_000 }, whenCold: null };
  expect(text(layoutMeter(input(45_000, { forecast: due }), 170))).toContain(
    "next: asks to clear 21 old results with your next message, frees 38k",
  );
  expect(text(layoutMeter(input(45_000, { forecast: due }), 120))).toContain(
    "  asks to clear with your next message",
  );
  const summary = { span: { from: "e2", to: "e9" }, isReady: false };
  const written = { bySize: { ...due.bySize, asks: false, summary }, whenCold: null };
  const whileWriting = input(45_000, { forecast: written, isPreparing: true });
  expect(text(layoutMeter(whileWriting, 170))).toContain("next: clear 21 old results once ready");
  const cold = { bySize: null, whenCold: { ...cut, asks: false, atMs: 1 } };
  expect(text(layoutMeter(input(45_000, { forecast: cold }), 190))).toContain(
    "next: clear 21 old results when the cache expires, frees 38k",
  );
  expect(text(layoutMeter(input(45_000, { forecast: cold }), 110))).not.toContain("clear");
});

test("says nothing if no compaction will happen", () => {
  expect(line(45_000, 150)).not.toContain("next");
});

test("a missing sandbox is shown beside the mode, and left out before the mode", () => {
  const at = (width: number): string =>
    text(layoutMeter(input(100_000, { hasSandbox: false }), width));
  expect(at(116)).toEndWith("sonnet · asks before edits · no sandbox");
  expect(at(76)).toEndWith("  ask · no sandbox");
  expect(at(40)).toEndWith("  ask");
});

test("a summary that is ready shows what it costs from now on", () => {
  const summary = { span: { from: "e1", to: "e9" }, isReady: true };
  const event = { ...cut, tier: "summary", isEstimate: true, asks: false, summary } as const;
  const shown = (usd: number): string => {
    const bySize = { ...event, usd, atTokens: 100_000 };
    return text(layoutMeter(input(110_000, { forecast: { bySize, whenCold: null } }), 160));
  };
  expect(shown(0.01)).toContain("summary ready: frees about 38k for ~$0.01");
  expect(shown(0)).toContain("summary ready: frees about 38k");
});

test("a cap is shown once half of it is spent", () => {
  const shown = (spentUsd: number): string =>
    text(layoutMeter(input(90_000, { budget: [{ scope: "day", capUsd: 5, spentUsd }] }), 160));
  expect(shown(2.4)).toContain("  $1.23  ");
  expect(shown(2.61)).toContain("  $2.61 of $5.00 today");
});

test("where a summary soon pays for itself, the meter says so with its key", () => {
  const forecast = { bySize: null, whenCold: null, pays: { calls: 3 } };
  const advised = input(120_000, { forecast, compactKey: "Ctrl-S" });
  expect(text(layoutMeter(advised, 160))).toContain(
    "each call reads 120k: a summary pays after 3 calls · Ctrl-S",
  );
  expect(text(layoutMeter(advised, 110))).toContain("a summary pays after 3 calls · Ctrl-S");
});
