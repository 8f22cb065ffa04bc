/** The context meter in one line: how full the window is, the cache, the cost, what happens next. */

import { takeStart } from "../../base/clip.ts";
import type { Kind } from "../../context/view/char-count.ts";
import { nextUp, type Forecast } from "../../context/forecast.ts";
import type { MeterReading } from "../../context/types.ts";
import type { TierName } from "../../protocol/entry.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import { lineWidth } from "../line.ts";
import { shortTokens, showUsd } from "../transcript/format.ts";
import type { Role } from "../theme.ts";

export type Segment = { role: Role; text: string };

export type MeterInput = {
  reading: MeterReading;
  /** Tokens of the answer that is being streamed, not yet in the reading. */
  liveTokens: number;
  /** Tokens of what is typed and not sent. */
  draftTokens: number;
  /** The next compaction. */
  forecast: Forecast;
  nowMs: number;
  model: string;
  mode: PermissionMode;
  hasSandbox: boolean;
};

/** The parts of the bar, in order: which kinds they hold, and their color. */
const parts: readonly { kinds: readonly Kind[]; role: Role; sign: string }[] = [
  { kinds: ["system", "tools", "instructions"], role: "meterSystem", sign: "█" },
  { kinds: ["user"], role: "meterUser", sign: "▓" },
  { kinds: ["assistant", "thinking", "toolInputs"], role: "meterAnswers", sign: "█" },
  { kinds: ["toolResults"], role: "meterResults", sign: "▓" },
  { kinds: ["summary"], role: "meterSummary", sign: "█" },
];

const modes: Record<PermissionMode, string> = {
  default: "asks before edits",
  "accept-edits": "edits without asking",
  auto: "auto, what leaves the sandbox asks",
  plan: "plan mode, read-only",
  bypass: "no approvals",
  "dont-ask": "denies without asking",
};

/** Cells of the bar. Independent of the numbers beside it. */
const countCells = (width: number): number => Math.max(8, Math.min(36, Math.floor(width / 6)));

/**
 * The bar and its facts on the left, model and mode on the right. If there is too little room, cost
 * and cache are left out first, then the model's name; what comes next stays longest.
 */
export function layoutMeter(input: MeterInput, width: number): Segment[] {
  const bar = layoutBar(input, countCells(width));
  const spare = spareFor(input);
  for (const [facts, side] of forms(input)) {
    const room = width - lineWidth(bar) - lineWidth(facts) - lineWidth(side);
    if (room >= spare) return [...bar, ...facts, dim(" ".repeat(room)), ...side];
  }
  return narrow(input, width);
}

/** Layouts beside the bar, the fullest first. */
function forms(input: MeterInput): [facts: Segment[], side: Segment[]][] {
  const { reading, nowMs } = input;
  const used = sizeFact(input);
  const size = [used, ...draftFact(input)];
  const cache = cacheFact(reading, nowMs);
  const { session: usd, isEstimate } = reading.cost;
  const cost = usd > 0 ? [dim(`  ${showUsd(usd, isEstimate)}`)] : [];
  const [long = [], short = [], least = []] = nextFacts(input);
  const [full = [], noModel = [], modeOnly = [], ...fewer] = rightSide(input);
  return [
    [[...size, ...long, ...cache, ...cost], full],
    [[...size, ...long, ...cache], full],
    [[...size, ...long], full],
    [[...size, ...short, ...cache, ...cost], full],
    [[...size, ...short, ...cache], full],
    [[...size, ...short, ...cache], noModel],
    [[...size, ...short], noModel],
    [[...size, ...least], noModel],
    [[...size, ...least], modeOnly],
    ...fewer.map((side): [Segment[], Segment[]] => [[...size, ...least], side]),
    // The bar shows the draft, too.
    ...(least.length === 0 ? [] : fewer).map((side): [Segment[], Segment[]] => [
      [used, ...least],
      side,
    ]),
    [size, modeOnly],
    ...fewer.map((side): [Segment[], Segment[]] => [size, side]),
  ];
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

/** Until this share of the window is used, the bar shows what is used at a scale of its own. */
const ownScaleBelow = 0.1;

/** The share of the bar that it gets there. */
const ownScaleShare = 0.4;

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * A bar of `width` cells between two edges, stacked by what fills the context, with a mark where the
 * next compaction happens. Every part that is there gets a cell: in a large window, each would be too
 * small to see.
 */
export function layoutBar(input: MeterInput, width: number): Segment[] {
  const { reading, liveTokens, draftTokens, forecast } = input;
  const { breakdown, effectiveTokens } = reading;
  const shown = parts.map(({ kinds, role, sign }) => ({
    role,
    sign,
    tokens:
      kinds.reduce((sum, kind) => sum + breakdown[kind], 0) +
      (role === "meterAnswers" ? liveTokens : 0),
  }));
  const used = shown.reduce((sum, { tokens }) => sum + tokens, 0);
  const isOwnScale = used + draftTokens < effectiveTokens * ownScaleBelow;
  const scale = isOwnScale
    ? (width * ownScaleShare) / Math.max(1, used + draftTokens)
    : width / effectiveTokens;
  const present = shown.filter(({ tokens }) => tokens > 0);
  const draft = draftTokens === 0 ? 0 : Math.max(1, Math.round(draftTokens * scale));
  const room = width - Math.min(draft, Math.floor(width / 2));
  const eighthsUsed = Math.min(room * 8, Math.round(used * scale * 8));
  const cells = Math.max(present.length, Math.floor(eighthsUsed / 8));
  const end = cells < room && cells * 8 < eighthsUsed ? (eighths[eighthsUsed % 8] ?? "") : "";
  const segments: Segment[] = [{ role: "meterFree", text: "▐" }];
  for (const [index, count] of shareCells(present, Math.min(room, cells)).entries()) {
    const { role = "meterFree", sign = "" } = present[index] ?? {};
    if (count > 0) segments.push({ role, text: sign.repeat(count) });
  }
  const last = present.at(-1);
  if (end !== "" && last) segments.push({ role: last.role, text: end });
  const filled = Math.min(room, cells) + (end === "" ? 0 : 1);
  const drafted = Math.min(draft, width - filled);
  if (drafted > 0) segments.push({ role: "meterUser", text: "▒".repeat(drafted) });
  const mark = isOwnScale
    ? -1
    : Math.floor(((forecast.bySize?.atTokens ?? 0) / effectiveTokens) * width);
  const from = filled + drafted;
  const free = Array.from({ length: width - from }, (_, index) => {
    if (isOwnScale) return index === 0 ? "┊" : "·";
    return from + index === mark && mark > 0 ? "╎" : "░";
  });
  segments.push({ role: "meterFree", text: `${free.join("")}▌` });
  return segments;
}

/** Divides cells by size; each part gets at least one while there are enough. */
export function shareCells(sized: readonly { tokens: number }[], cells: number): number[] {
  const total = Math.max(
    1,
    sized.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const least = cells >= sized.length ? 1 : 0;
  const spare = cells - least * sized.length;
  let tokens = 0;
  let given = 0;
  return sized.map((part) => {
    tokens += part.tokens;
    const until = Math.round((tokens / total) * spare);
    const own = least + until - given;
    given = until;
    return own;
  });
}

/**
 * Columns reserved for the size to grow, so that no fact disappears when a number gains a digit.
 */
function spareFor(input: MeterInput): number {
  const widest = `  9.9k of ${shortTokens(input.reading.effectiveTokens)} · 99 %`;
  return Math.max(0, widest.length - sizeFact(input).text.length);
}

/** From this share of the window on, the size is amber. */
const highShare = 0.85;

/** Calm in general; red only where the next request may not fit. */
function sizeFact({ reading, liveTokens, draftTokens, forecast }: MeterInput): Segment {
  const { usedTokens, effectiveTokens, errorTokens } = reading;
  const used = usedTokens + liveTokens;
  const next = used + draftTokens;
  const isDue = next >= (forecast.bySize?.atTokens ?? Infinity);
  const role: Role =
    next > effectiveTokens
      ? "meterHigh"
      : isDue
        ? "boundary"
        : next >= effectiveTokens * highShare
          ? "meterMiddle"
          : "strong";
  const about = errorTokens > used * noticeableError ? "~" : "";
  const of = `${about}${shortTokens(used)} of ${shortTokens(effectiveTokens)}`;
  return { role, text: `  ${of} · ${Math.round((used / effectiveTokens) * 100)} %` };
}

/** A draft is counted from this size on. */
const minDraft = 100;

const draftFact = ({ draftTokens }: MeterInput): Segment[] =>
  draftTokens < minDraft
    ? []
    : [{ role: "meterUser", text: `  +~${shortTokens(draftTokens)} draft` }];

/** The forecast, longest form first; empty if nothing is known to come next. */
function nextFacts({ reading, liveTokens, draftTokens, forecast }: MeterInput): Segment[][] {
  const next = nextUp(forecast, reading.usedTokens + liveTokens + draftTokens);
  if (!next) return [];
  const { tier, action, asks, when, summary } = next;
  const effect = showEffect(next, reading.cost.isEstimate ?? next.isEstimate);
  const [at, briefly] = inWords(when);
  if (summary?.isReady)
    return [
      `  summary ready${effect}, used ${at}`,
      `  summary ready${effect}`,
      "  summary ready",
    ].map((text) => [dim(text)]);
  return [
    `  next: ${asks ? "ask to " : ""}${action}${effect} ${at}`,
    `  ${asks ? "asks to summarize" : inShort[tier]} ${briefly}`,
    `  ${asks ? "asks" : "compacts"} ${briefly}`,
  ].map((text) => [dim(text)]);
}

type ShownNext = NonNullable<ReturnType<typeof nextUp>>;

/** When it happens, in full and in short. */
function inWords(when: ShownNext["when"]): [string, string] {
  if (when === "message") return ["with your next message", "next turn"];
  if ("atMs" in when) return ["when the cache expires", "when cold"];
  const size = `at ${shortTokens(when.atTokens)}`;
  return [size, size];
}

/** " (−40k, ~$0.19)"; of a summary that is ready, what is still to be paid: " (−~40k, ~$0.01 more)" */
function showEffect(
  { freesTokens, usd, isEstimate, summary }: ShownNext,
  isRough: boolean,
): string {
  const about = isEstimate ? "~" : "";
  const more = summary?.isReady ? " more" : "";
  const parts = [
    ...(freesTokens > 0 ? [`−${about}${shortTokens(freesTokens)}`] : []),
    ...(usd >= 0.005 ? [`${showUsd(usd, isRough)}${more}`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** A tier's effect, where there is no room for numbers. */
const inShort: Record<TierName, string> = {
  persist: "saves results to files",
  budget: "trims results",
  snip: "drops stale results",
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
function rightSide({ model, mode, hasSandbox }: MeterInput): Segment[][] {
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
