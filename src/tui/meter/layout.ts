/** The context meter in one line: what is said, and what is left out first where the line is short. */

import type { Reading } from "../../context/types.ts";
import type { Policy } from "../../protocol/policy.ts";
import { showTokens, showUsd } from "../transcript/looks.ts";
import type { Role } from "../theme.ts";

export type Segment = { role: Role; text: string };

export type MeterInput = {
  reading: Reading;
  /** Tokens of the answer that is growing, not yet in the reading. */
  liveTokens: number;
  policy: Policy;
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

/** The whole line. Facts give way from the right as the width shrinks; the bar shrinks last. */
export function layoutMeter(input: MeterInput, width: number): Segment[] {
  const { reading, liveTokens, policy, nowMs } = input;
  const used = reading.usedTokens + liveTokens;
  const share = used / reading.effectiveTokens;
  const high = share > policy.summaryAt;
  const facts: Segment[] = [
    { role: high ? "meterHigh" : "strong", text: `${Math.round(share * 100)}%` },
    { role: "dim", text: `${showTokens(used)}/${showTokens(reading.windowTokens)}` },
    { role: "dim", text: `${showTokens(Math.max(0, reading.effectiveTokens - used))} left` },
    ...cacheFact(reading, nowMs),
    ...(reading.cost.session > 0
      ? [
          {
            role: "dim" as const,
            text: `${showUsd(reading.cost.session)} (last ${showUsd(reading.cost.lastCall)})`,
          },
        ]
      : []),
    ...(reading.next
      ? [
          {
            role: "dim" as const,
            text: `${names[reading.next.tier] ?? reading.next.tier} in ${showTokens(Math.max(0, reading.next.atTokens - used))}`,
          },
        ]
      : []),
    ...(reading.errorTokens > 0
      ? [{ role: "dim" as const, text: `±${showTokens(reading.errorTokens)}` }]
      : []),
  ];
  for (let count = facts.length; count >= 1; count--) {
    const shown = facts.slice(0, count);
    const taken = shown.reduce((sum, { text }) => sum + text.length + 1, 0);
    const cells = Math.min(30, width - taken);
    if (cells >= (count === 1 ? 4 : count <= 3 ? 10 : 16)) {
      return [
        ...layoutBar(input, cells),
        ...shown.map(({ role, text }) => ({ role, text: ` ${text}` })),
      ];
    }
  }
  return [
    { role: high ? "meterHigh" : "strong", text: `${Math.round(share * 100)}%`.slice(0, width) },
  ];
}

function cacheFact({ cache }: Reading, nowMs: number): Segment[] {
  if (cache.state === "none") return [];
  if (cache.state === "cold" || cache.expiresAtMs === null)
    return [{ role: "dim", text: "cache cold" }];
  const seconds = Math.max(0, Math.round((cache.expiresAtMs - nowMs) / 1000));
  return [
    {
      role: "good",
      text: `cache ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`,
    },
  ];
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
