/** The context meter in one line: how full the window is, the cache, the cost, what happens next. */

import { takeStart } from "../../base/clip.ts";
import type { Kind } from "../../context/meter/char-count.ts";
import { nextUp, type Forecast } from "../../context/forecast.ts";
import type { MeterReading } from "../../context/types.ts";
import type { TierName } from "../../protocol/entry.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import { shortTokens, showUsd } from "../transcript/format.ts";
import type { Role } from "../theme.ts";

export type Segment = { role: Role; text: string };

export type MeterInput = {
  reading: MeterReading;
  /** Tokens of the answer that is being streamed, not yet in the reading. */
  liveTokens: number;
  /** What the compaction policy will do. */
  forecast: Forecast;
  nowMs: number;
  model: string;
  mode: PermissionMode;
  hasSandbox: boolean;
};

/** The parts of the bar, in order: which kinds they hold, and how they look. */
const parts: readonly { kinds: readonly Kind[]; role: Role; sign: string }[] = [
  { kinds: ["system", "tools", "instructions"], role: "meterSystem", sign: "█" },
  { kinds: ["user"], role: "meterUser", sign: "▓" },
  { kinds: ["assistant", "thinking", "toolInputs"], role: "meterAnswers", sign: "█" },
  { kinds: ["toolResults"], role: "meterResults", sign: "▒" },
  { kinds: ["summary"], role: "meterSummary", sign: "▓" },
];

const modes: Record<PermissionMode, string> = {
  default: "asks before edits",
  "accept-edits": "edits without asking",
  auto: "auto, what leaves the sandbox asks",
  plan: "plan mode, read-only",
  bypass: "no approvals",
  "dont-ask": "denies without asking",
};

/** Cells of the bar. Independent of the numbers beside it; words need the room more. */
const cellsIn = (width: number): number => Math.max(8, Math.floor(width / 10));

/**
 * The bar and its facts on the left, model and mode on the right. If there is too little room, the
 * forecast is shortened first, then facts are left out; the bar marks the next compaction only if
 * it is named, too.
 */
export function layoutMeter(input: MeterInput, width: number): Segment[] {
  const forms = formsOf(input);
  const right = rightOf(input);
  const spare = spareFor(input);
  for (const side of right) {
    for (const [index, facts] of forms.entries()) {
      // The model's name is shown only if a fact besides the size still fits.
      if (side === right[0] && facts.length < Math.min(2, forms[0]?.length ?? 0)) continue;
      const bar = layoutBar(input, cellsIn(width), index < forms.length - 2);
      const room = width - widthOf(bar) - widthOf(facts) - widthOf(side);
      if (room < spare) continue;
      return [...bar, ...facts, dim(" ".repeat(room)), ...side];
    }
  }
  return narrow(input, width);
}

/** Without a bar. The mode that asks for no approval must stay visible. */
function narrow(input: MeterInput, width: number): Segment[] {
  const { role, text } = sizeFact(input);
  if (input.mode !== "bypass") return [{ role, text: takeStart(text.trim(), width) }];
  const mode: Segment = { role: "bad", text: `  ${modes.bypass}` };
  const room = Math.max(0, width - mode.text.length);
  const forms = [text.trim(), /\d+ %/.exec(text)?.[0] ?? ""];
  return [{ role, text: forms.find((form) => form.length <= room) ?? "" }, mode];
}

const widthOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { text }) => sum + Bun.stringWidth(text), 0);

/**
 * A bar of `width` cells between two edges, stacked by what fills the context; if `isMarked`, with a
 * mark where the next compaction happens.
 */
export function layoutBar(
  { reading, liveTokens, forecast }: MeterInput,
  width: number,
  isMarked = true,
): Segment[] {
  const { breakdown, effectiveTokens } = reading;
  const segments: Segment[] = [{ role: "meterFree", text: "▐" }];
  let tokens = 0;
  let filled = 0;
  for (const { kinds, role, sign } of parts) {
    tokens += kinds.reduce((sum, kind) => sum + breakdown[kind], 0);
    if (role === "meterAnswers") tokens += liveTokens;
    const until = Math.min(width, Math.round((tokens / effectiveTokens) * width));
    if (until > filled) segments.push({ role, text: sign.repeat(until - filled) });
    filled = Math.max(filled, until);
  }
  const mark = Math.floor(((forecast.bySize?.atTokens ?? 0) / effectiveTokens) * width);
  const free = Array.from({ length: width - filled }, (_, index) =>
    isMarked && filled + index === mark && mark > 0 ? "╎" : "░",
  );
  segments.push({ role: "meterFree", text: `${free.join("")}▌` });
  return segments;
}

/** The facts, longest form first. The last two do not name the next compaction. */
function formsOf(input: MeterInput): Segment[][] {
  const { reading, nowMs, forecast, liveTokens } = input;
  const cache = cacheFact(reading, nowMs);
  const cost = reading.cost.session > 0 ? [dim(`  ${showUsd(reading.cost.session)}`)] : [];
  const [long = [], short = [], least = []] = nextFacts(forecast, reading.usedTokens + liveTokens);
  return [
    [...cache, ...cost, ...long],
    [...cache, ...cost, ...short],
    [...cache, ...cost, ...least],
    [...cache, ...least],
    [...cost, ...least],
    least,
    cache,
    [],
  ].map((facts) => [sizeFact(input), ...facts]);
}

/**
 * Columns reserved for the size to grow, so that no fact disappears when a number gains a digit.
 */
function spareFor(input: MeterInput): number {
  const widest = `  9.9k of ${shortTokens(input.reading.effectiveTokens)} · 99 %`;
  return Math.max(0, widest.length - sizeFact(input).text.length);
}

function sizeFact({ reading, liveTokens, forecast }: MeterInput): Segment {
  const { usedTokens, effectiveTokens, errorTokens } = reading;
  const used = usedTokens + liveTokens;
  const atTokens = forecast.bySize?.atTokens ?? Infinity;
  const role: Role =
    used >= atTokens ? "meterHigh" : used >= atTokens * near ? "meterMiddle" : "strong";
  const about = errorTokens > used * noticeableError ? "~" : "";
  const of = `${about}${shortTokens(used)} of ${shortTokens(effectiveTokens)}`;
  return { role, text: `  ${of} · ${Math.round((used / effectiveTokens) * 100)} %` };
}

/** The share of the way to the next compaction from which it is near. */
const near = 0.9;

/** The forecast, longest form first; empty if nothing is known to come next. */
function nextFacts(forecast: Forecast, used: number): Segment[][] {
  const next = nextUp(forecast, used);
  if (!next) return [];
  const { tier, action, asks, when } = next;
  const [at, briefly] = inWords(when);
  return [
    `  next: ${asks ? "ask to " : ""}${action}${effectOf(next)} ${at}`,
    `  ${asks ? "asks to summarize" : inShort[tier]} ${briefly}`,
    `  ${asks ? "asks" : "compacts"} ${briefly}`,
  ].map((text) => [dim(text)]);
}

type NextUp = NonNullable<ReturnType<typeof nextUp>>;

/** When it happens, in full and in short. */
function inWords(when: NextUp["when"]): [string, string] {
  if (when === "message") return ["with your next message", "next turn"];
  if ("atMs" in when) return ["when the cache expires", "when cold"];
  const size = `at ${shortTokens(when.atTokens)}`;
  return [size, size];
}

/** " (−40k, ~$0.19)" */
function effectOf({ freesTokens, usd, isEstimate }: NextUp): string {
  const about = isEstimate ? "~" : "";
  const parts = [
    ...(freesTokens > 0 ? [`−${about}${shortTokens(freesTokens)}`] : []),
    ...(usd >= 0.005 ? [`${about}${showUsd(usd)}`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** What a tier does, where there is no room for numbers. */
const inShort: Record<TierName, string> = {
  persist: "saves results to files",
  budget: "trims results",
  snip: "drops results",
  microcompact: "clears results",
  summary: "summarizes",
  manual: "drops results",
};

/** An estimate is marked as one from this relative uncertainty on. */
const noticeableError = 0.05;

const dim = (text: string): Segment => ({ role: "dim", text });

/** Minutes, so that an idle screen changes once a minute. */
function cacheFact({ cache }: MeterReading, nowMs: number): Segment[] {
  if (cache.state === "cold") return [dim("  cache cold")];
  // Where nobody knows how long it lives, there is nothing to say.
  if (cache.expiresAtMs === null) return [];
  const minutes = Math.max(1, Math.ceil((cache.expiresAtMs - nowMs) / 60_000));
  return [{ role: "good", text: `  cache ${minutes} min` }];
}

/** Model, mode and a missing sandbox; shorter forms follow. */
function rightOf({ model, mode, hasSandbox }: MeterInput): Segment[][] {
  const role: Role = mode === "bypass" ? "bad" : "dim";
  const gap = dim("  ");
  const shown: Segment = { role, text: modes[mode] };
  const sandbox: Segment[] = hasSandbox ? [] : [{ role: "warning", text: " · no sandbox" }];
  const forms = [
    [gap, dim(`${model} · `), shown, ...sandbox],
    [gap, shown, ...sandbox],
    [gap, shown],
  ];
  return mode === "bypass" ? forms : [...forms, []];
}
