import { expect, test } from "bun:test";
import type { MeterReading } from "../../../context/types.ts";
import {
  layoutBar,
  layoutMeter,
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
  cost: { session: 1.234 },
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
  asks: false,
  atTokens: 135_000,
} as const;

/** A forecast of that cut, changed in a few points. */
const next = (more: object = {}) => ({ forecast: { bySize: { ...cut, ...more }, whenCold: null } });

const text = (segments: readonly Segment[]): string => segments.map((one) => one.text).join("");

/** Both ends of the line, as one. */
function segmentsOf(of: MeterInput, width: number): Segment[] {
  const { left, right } = layoutMeter(of, width);
  const room = width - Bun.stringWidth(text([...left, ...right]));
  return [...left, { role: "dim", text: " ".repeat(Math.max(0, room)) }, ...right];
}

const meter = (used: number, width: number, more: Partial<MeterInput> = {}): string =>
  text(segmentsOf(input(used, more), width));

test.each([120, 80, 60])("at %d columns", (width) => {
  expect(meter(100_000, width)).toMatchSnapshot();
});

test("never overflows the width, however full the window is", () => {
  for (const used of [0, 1, 90_000, 153_000, 180_000, 400_000])
    for (let width = 8; width <= 140; width++)
      expect(Bun.stringWidth(meter(used, width))).toBeLessThanOrEqual(width);
});

test.each([40, 60, 76, 80, 96, 100, 120, 160, 200])(
  "at %d columns neither the bar nor the facts beside it change with a digit",
  (width) => {
    const readShape = (used: number): string =>
      meter(used, width, next({ atTokens: 153_000 }))
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
  const filled = { ...breakdown, ...shares };
  return input(0, {
    reading: { ...rest, usedTokens, effectiveTokens: windowTokens, breakdown: filled },
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
  const roles = new Set<string>(segments.map(({ role }) => role.replace("meter", "")));
  expect([...roles]).toEqual(["Free", "System", "User", "Answers", "Results", "Summary"]);
});

test("the bar never shrinks while more is used", () => {
  let before = 0;
  for (let used = 200; used <= 180_000; used += 2_000) {
    const bar = text(layoutBar(input(used), 30)).slice(1, -1);
    const filled = bar.replace(/[^█▏▎▍▌▋▊▉]/g, "").length;
    expect(filled).toBeGreaterThanOrEqual(before);
    before = filled;
  }
});

test("it is calm: no color for a routine cut but its own, amber when high, red on overflow", () => {
  const roleAt = (used: number, atTokens = Infinity): string | undefined =>
    segmentsOf(input(used, next({ atTokens })), 140).find((part) => part.text.includes(" of 180k"))
      ?.role;
  expect(roleAt(76_000)).toBe("strong");
  expect(roleAt(76_000, 70_000)).toBe("strong");
  expect(roleAt(160_000)).toBe("meterMiddle");
  expect(roleAt(181_000)).toBe("meterHigh");
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
  for (const [mode, word] of modeWords)
    for (let width = 20; width <= 196; width++) {
      const segments = segmentsOf(input(100_000, { mode, ...next({ usd: 0.05 }) }), width);
      const shown = segments.filter(({ text: part }) => part.trim() !== "").at(-1);
      expect(Bun.stringWidth(text(segments))).toBeLessThanOrEqual(width);
      if (width < 76) expect(shown?.text).toBe(word);
      else expect(text(segments)).toContain("  $1.23");
      if (mode === "bypass") expect(shown?.role).toBe("bad");
    }
});

const known = reading(20_000);
const guessed = { ...known, cost: { ...known.cost, isEstimate: true as const } };
const draft = { draftTokens: 21_000, ...next({ atTokens: 110_000 }) };
const due = next({ asks: true, atTokens: 45_000 });
const summary = (isReady: boolean) => ({ summary: { span: { from: "e2", to: "e9" }, isReady } });
const cold = { forecast: { bySize: null, whenCold: { ...cut, atMs: 1 } } };
const ready = { tier: "summary", isEstimate: true, atTokens: 100_000, ...summary(true) };
const advised = {
  forecast: { bySize: null, whenCold: null, pays: { calls: 3 } },
  compactKey: "Ctrl-S",
};
const spent = (spentUsd: number) => ({ budget: [{ scope: "day" as const, capUsd: 5, spentUsd }] });

test.each<[about: string, used: number, width: number, more: Partial<MeterInput>, line: RegExp]>([
  ["marks an uncertain estimate", 2_500, 100, {}, /~2\.5k of 180k/],
  ["does not mark a small error", 100_000, 100, {}, /^[^~]*$/],
  ["shows the cost", 20_000, 120, {}, /  \$1\.23/],
  ["marks the cost at estimated prices", 20_000, 120, { reading: guessed }, /  ~\$1\.23/],
  ["draws a draft hollow", 100_000, 170, draft, /▎▒{5}░/],
  ["shows the size of a draft", 100_000, 170, draft, /100k of 180k · 56 %  \+~21k draft  next: /],
  ["counts a draft", 100_000, 170, draft, /clear 21 old results with your next message/],
  ["drops the size of a draft first", 100_000, 56, draft, /▒.* 100k of 180k · 56 % .*ask$/],
  ["marks the next cut on the bar", 45_000, 140, next(), /░╎░/],
  ["names the next cut", 45_000, 140, next(), /next: clear 21 old results at 135k, frees 38k/],
  [
    "names a size that reads like the one in use as a distance",
    45_100,
    140,
    next({ atTokens: 45_300 }),
    /next: clear 21 old results in 200 tokens, frees 38k/,
  ],
  ["shortens the forecast", 45_000, 116, next(), /  next: clear 21 old results at 135k  \$1\.23 /],
  ["shortens it again", 45_000, 76, next(), /  clear at 135k  \$1\.23 /],
  ["keeps it without cost and cache", 45_000, 56, next(), /  clear at 135k +ask$/],
  [
    "says that a cut asks first",
    45_000,
    170,
    due,
    /next: asks to clear 21 old results with your next message, frees 38k/,
  ],
  ["says so in less room", 45_000, 120, due, /  asks to clear with your next message/],
  [
    "says that a summary is being written",
    45_000,
    170,
    { ...next({ atTokens: 45_000, ...summary(false) }), isPreparing: true },
    /next: clear 21 old results once ready/,
  ],
  [
    "says that a cut waits for the cache",
    45_000,
    190,
    cold,
    /next: clear 21 old results when the cache expires, frees 38k/,
  ],
  ["drops what waits for the cache early", 45_000, 110, cold, /^(?!.*clear)/],
  ["says nothing if no cut will happen", 45_000, 150, {}, /^(?!.*next)/],
  [
    "shows a missing sandbox beside the mode",
    100_000,
    116,
    { hasSandbox: false },
    /sonnet · asks before edits · no sandbox$/,
  ],
  ["keeps it beside the short mode", 100_000, 76, { hasSandbox: false }, /  ask · no sandbox$/],
  ["drops it before the mode", 100_000, 40, { hasSandbox: false }, /  ask$/],
  [
    "shows what a ready summary costs",
    110_000,
    160,
    next({ ...ready, usd: 0.01 }),
    /summary ready: frees about 38k for ~\$0\.01/,
  ],
  [
    "shows no cost of a free one",
    110_000,
    160,
    next(ready),
    /summary ready: frees about 38k  \$1\.23/,
  ],
  ["shows the cost below half of a cap", 90_000, 160, spent(2.4), /  \$1\.23  /],
  ["shows the cap from half of it on", 90_000, 160, spent(2.61), /  \$2\.61 of \$5\.00 today/],
  [
    "says when a summary pays, with its key",
    120_000,
    160,
    advised,
    /each call reads 120k: a summary pays after 3 calls · Ctrl-S/,
  ],
  ["says so in less room", 120_000, 110, advised, /  a summary pays after 3 calls · Ctrl-S/],
])("%s", (_, used, width, more, line) => {
  expect(meter(used, width, more)).toMatch(line);
});
