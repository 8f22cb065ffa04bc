/** The context meter in one line: what is said, and what is left out first where the line is short. */

import type { Forecast } from "../../context/forecast.ts";
import type { MeterReading } from "../../context/types.ts";
import type { Policy } from "../../protocol/policy.ts";
import { showTokens, showUsd } from "../transcript/format.ts";
import type { Role } from "../theme.ts";

export type Segment = { role: Role; text: string };

export type MeterInput = {
  reading: MeterReading;
  /** Tokens of the answer that is growing, not yet in the reading. */
  liveTokens: number;
  policy: Policy;
  /** What the ladder does next as the context grows. */
  next: Forecast["bySize"];
  nowMs: number;
};

const names: Record<string, string> = {
  budget: "budget",
  snip: "snip",
  summary: "summary",
  microcompact: "clear",
};

/** A bar of `cells`, with the ladder of tiers marked on it; readable without colour. */
export function layoutBar({ reading, liveTokens, policy }: MeterInput, cells: number): Segment[] {
  const share = (reading.usedTokens + liveTokens) / reading.effectiveTokens;
  const filled = Math.min(cells, Math.round(share * cells));
  const marks = new Set(
    [policy.budgetAt, policy.snipAt, policy.budgetTightAt, policy.summaryAt].map((at) =>
      Math.min(cells - 1, Math.floor(at * cells)),
    ),
  );
  const role: Role =
    share > policy.summaryAt ? "meterHigh" : share > policy.budgetAt ? "meterMiddle" : "meterLow";
  const segments: Segment[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const full = cell < filled;
    const text = marks.has(cell) ? (full ? "╪" : "┼") : full ? "━" : "─";
    segments.push({ role: full ? role : "meterFree", text });
  }
  return join(segments);
}

/** Cells that the bar keeps, while it gives way to a fact. */
const leastCells = { roomy: 16, tight: 8, alone: 4 };

/**
 * The whole line. In a narrow one every fact is said shorter; where even so not all of them fit, they
 * give way from the right, and the bar shrinks last.
 */
export function layoutMeter(input: MeterInput, width: number): Segment[] {
  const share = percent(input);
  const roomy = [share, ...roomyFacts(input)];
  if (room(roomy, width) >= leastCells.roomy) return withBar(input, roomy, width);
  const tight = [share, ...tightFacts(input)];
  for (let count = tight.length; count >= 1; count--) {
    const shown = tight.slice(0, count);
    const least = count === 1 ? leastCells.alone : leastCells.tight;
    if (room(shown, width) >= least) return withBar(input, shown, width);
  }
  return [{ ...share, text: share.text.slice(0, width) }];
}

const room = (facts: readonly Segment[], width: number): number =>
  width - facts.reduce((sum, { text }) => sum + text.length + 1, 0);

const withBar = (input: MeterInput, facts: readonly Segment[], width: number): Segment[] => [
  ...layoutBar(input, Math.min(30, room(facts, width))),
  ...facts.map(({ role, text }) => ({ role, text: ` ${text}` })),
];

const usedTokens = ({ reading, liveTokens }: MeterInput): number => reading.usedTokens + liveTokens;

function percent(input: MeterInput): Segment {
  const share = usedTokens(input) / input.reading.effectiveTokens;
  const role = share > input.policy.summaryAt ? "meterHigh" : "strong";
  return { role, text: `${Math.round(share * 100)}%` };
}

function roomyFacts(input: MeterInput): Segment[] {
  const { reading, nowMs } = input;
  const used = usedTokens(input);
  const { cost, errorTokens, effectiveTokens, windowTokens } = reading;
  return [
    dim(`${showTokens(used)}/${showTokens(windowTokens)}`),
    dim(`${showTokens(Math.max(0, effectiveTokens - used))} left`),
    ...cacheFact(reading, nowMs, "cache "),
    ...(cost.session > 0 ? [dim(`${showUsd(cost.session)} (last ${showUsd(cost.lastCall)})`)] : []),
    ...nextFact(input.next, used, (tier, tokens) => `${tier} in ${showTokens(tokens)}`),
    ...(errorTokens > 0 ? [dim(`±${showTokens(errorTokens)}`)] : []),
  ];
}

/** The same facts in few columns: all of them fit beside a short bar in 60. */
function tightFacts(input: MeterInput): Segment[] {
  const { reading, nowMs } = input;
  const used = usedTokens(input);
  const { cost, errorTokens, windowTokens } = reading;
  const error = errorTokens > 0 ? `±${shortTokens(errorTokens)}` : "";
  const last = cost.lastCall > 0 ? `+${showUsd(cost.lastCall).slice(1)}` : "";
  return [
    dim(`${shortTokens(used)}${error}/${shortTokens(windowTokens)}`),
    ...nextFact(input.next, used, (tier, tokens) => `${tier} in ${shortTokens(tokens)}`),
    ...cacheFact(reading, nowMs, "hot "),
    ...(cost.session > 0 ? [dim(`${showUsd(cost.session)}${last}`)] : []),
  ];
}

const dim = (text: string): Segment => ({ role: "dim", text });

/** "950", "12k", "1.2M": fewer digits than `showTokens`. */
const shortTokens = (tokens: number): string =>
  tokens < 1_000
    ? String(Math.round(tokens))
    : tokens < 999_500
      ? `${Math.round(tokens / 1_000)}k`
      : `${(tokens / 1_000_000).toFixed(tokens < 9_950_000 ? 1 : 0)}M`;

function nextFact(
  next: Forecast["bySize"],
  used: number,
  show: (tier: string, tokens: number) => string,
): Segment[] {
  if (!next) return [];
  return [dim(show(names[next.tier] ?? next.tier, Math.max(0, next.atTokens - used)))];
}

function cacheFact({ cache }: MeterReading, nowMs: number, hot: string): Segment[] {
  if (cache.state === "none") return [];
  if (cache.state === "cold" || cache.expiresAtMs === null) return [dim("cache cold")];
  const seconds = Math.max(0, Math.round((cache.expiresAtMs - nowMs) / 1000));
  const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return [{ role: "good", text: `${hot}${left}` }];
}

/** Neighbours of one role as one segment. */
function join(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (last?.role === segment.role) last.text += segment.text;
    else joined.push({ ...segment });
  }
  return joined;
}
