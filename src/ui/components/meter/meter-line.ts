/** The line of the meter: its bar, the facts beside it, and the order in which they are dropped. Pure. */

import { counted } from "../../../base/format.ts";
import { type Forecast, nextUp } from "../../../context/forecast.ts";
import type { MeterReading } from "../../../context/types.ts";
import type { Kind } from "../../../context/view/char-count.ts";
import { type BudgetState, budgetName } from "../../../protocol/budget.ts";
import type { PermissionMode } from "../../../protocol/permission.ts";
import { lineWidth } from "../../spans.ts";
import type { Role } from "../../theme.ts";
import { shortTokens, showUsd } from "../../transcript/format.ts";

type Segment = { role: Role; text: string };

type MeterInput = {
  reading: MeterReading;
  /** Tokens of the answer that is being streamed, not yet in the reading. */
  liveTokens: number;
  /** Tokens of what is typed and not sent. */
  draftTokens: number;
  /** The next compaction. */
  forecast: Forecast;
  /** The next summary is being written in the background. */
  isPreparing: boolean;
  /** The key that previews a summary. */
  compactKey?: string | undefined;
  /** Spending caps, the most used first. */
  budget: readonly BudgetState[];
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

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A part smaller than this, in cells, is drawn as half of one: in a large window it would not be seen. */
const sliverBelow = 0.75;

/**
 * A bar of `width` cells between two edges, stacked by what fills the context, at one scale from an
 * empty window to a full one, with a mark where the next compaction happens.
 */
function layoutBar(input: MeterInput, width: number): Segment[] {
  const { reading, liveTokens, draftTokens, forecast } = input;
  const { breakdown, effectiveTokens } = reading;
  const scale = width / effectiveTokens;
  const present = parts
    .map(({ kinds, role, sign }) => ({
      role,
      sign,
      tokens:
        kinds.reduce((sum, kind) => sum + breakdown[kind], 0) +
        (role === "meterAnswers" ? liveTokens : 0),
    }))
    .filter(({ tokens }) => tokens > 0);
  const draft = draftTokens === 0 ? 0 : Math.max(1, Math.round(draftTokens * scale));
  const room = width - Math.min(draft, Math.floor(width / 2));
  const large = present.filter(({ tokens }) => tokens * scale >= sliverBelow);
  // A part that has just become large takes a whole cell, as it did: the bar never shrinks.
  const largeCells = large.reduce((sum, { tokens }) => sum + Math.max(1, tokens * scale), 0);
  const most = Math.max(0, room - (present.length - large.length));
  const eighthsUsed = Math.min(most * 8, Math.round(largeCells * 8));
  const cells = Math.min(most, Math.max(large.length, Math.floor(eighthsUsed / 8)));
  const end = cells * 8 < eighthsUsed ? (eighths[eighthsUsed % 8] ?? "") : "";
  const shares = shareCells(large, cells);
  const segments: Segment[] = [{ role: "meterFree", text: "▐" }];
  for (const part of present) {
    const { role, sign } = part;
    const at = large.indexOf(part);
    const last = at === large.length - 1 ? end : "";
    segments.push({ role, text: at < 0 ? "▌" : sign.repeat(shares[at] ?? 0) + last });
  }
  const filled = segments.reduce((sum, { text }) => sum + text.length, -1);
  const drafted = Math.min(draft, width - filled);
  if (drafted > 0) segments.push({ role: "meterUser", text: "▒".repeat(drafted) });
  const mark = Math.floor((forecast.bySize?.atTokens ?? 0) * scale);
  const from = filled + drafted;
  const free = Array.from({ length: width - from }, (_, index) =>
    from + index === mark && mark > 0 ? "╎" : "░",
  );
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

/** Full label, and the short label for narrow terminals. */
const modes: Record<PermissionMode, readonly [words: string, word: string]> = {
  default: ["asks before edits", "ask"],
  "accept-edits": ["edits without asking", "edits"],
  auto: ["auto (sandboxed)", "auto"],
  plan: ["plan mode, read-only", "plan"],
  bypass: ["no approvals", "bypass"],
  "dont-ask": ["denies without asking", "deny"],
};

/** Cells of the bar. Independent of the numbers beside it. */
const countCells = (width: number): number =>
  (
    [
      [156, 40],
      [112, 30],
      [92, 24],
      [70, 20],
      [40, 8],
    ] as const
  ).find(([from]) => width >= from)?.[1] ?? 0;

type Fact = "size" | "draft" | "next" | "later" | "cost" | "cache" | "model" | "mode" | "sandbox";

/** Steps to shorten the line: each takes the longest form of a fact away. */
const steps: readonly Fact[] = [
  "later",
  "later",
  "cache",
  "model",
  "next",
  "next",
  "mode",
  "sandbox",
  "next",
  "draft",
  "cost",
  "next",
  "cost",
  "size",
  "size",
];

/** Left- and right-aligned parts of the line. */
export type MeterLine = { left: readonly Segment[]; right: readonly Segment[] };

/** The bar with the facts beside it; model and mode at the right end. The mode is never left out. */
export function layoutMeter(input: MeterInput, width: number): MeterLine {
  const facts = listFacts(input);
  const cells = countCells(width);
  const bar = cells === 0 ? [] : layoutBar(input, cells);
  const show = (...names: Fact[]): Segment[] => names.flatMap((name) => facts[name][0] ?? []);
  const spare = width < 40 ? 0 : spareFor(input);
  const line = (): MeterLine => ({
    left: [...bar, ...show("size", "draft", "next", "later", "cost", "cache")],
    right: show("model", "mode", "sandbox"),
  });
  const fits = ({ left, right } = line()): boolean =>
    lineWidth(left) + lineWidth(right) + spare <= width;
  for (const step of [null, ...steps]) {
    if (step) facts[step].shift();
    // Without a forecast there may be room for the cost again.
    if (step === "next" && facts.next.length === 0) facts.cost = listFacts(input).cost;
    if (fits()) break;
  }
  if (!fits()) return { left: [], right: show("mode") };
  // The last step may have made more room than it had to.
  for (const fact of width < 80 ? [] : (["mode", "model"] as const)) {
    const last = line();
    facts[fact] = listFacts(input)[fact];
    if (!fits()) return last;
  }
  return line();
}

/** The forms of each fact, longest first. */
function listFacts(input: MeterInput): Record<Fact, Segment[][]> {
  const { reading, nowMs, model, mode, hasSandbox } = input;
  const { session: usd } = reading.cost;
  const role: Role = mode === "bypass" ? "bad" : "dim";
  const { isLater, forms } = nextForms(input);
  return {
    size: sizeForms(input),
    draft: draftForms(input),
    next: isLater ? [] : forms,
    // A cut that only happens after a break has the lowest priority.
    later: isLater ? forms : [],
    cost: usd > 0 ? [costFact(input)] : [],
    cache: [cacheFact(reading, nowMs)],
    model: [[dim(`  ${model} ·`)]],
    mode: modes[mode].map((text, form) => [dim(form === 0 ? " " : "  "), { role, text }]),
    sandbox: hasSandbox ? [] : [[{ role: "warning", text: " · no sandbox" }]],
  };
}

/** Share of a spending cap from which the cap is shown. */
const nearCapShare = 0.5;

/** The session's cost; from half of a cap on, the spending against that cap instead. */
function costFact({ reading, budget }: MeterInput): Segment[] {
  const { session: usd, isEstimate } = reading.cost;
  const [cap] = budget;
  if (!cap || cap.spentUsd < cap.capUsd * nearCapShare)
    return [dim(`  ${showUsd(usd, isEstimate)}`)];
  const when = cap.scope === "session" ? "" : ` ${budgetName(cap.scope)}`;
  const text = `  ${showUsd(cap.spentUsd, isEstimate)} of ${showUsd(cap.capUsd)}${when}`;
  return [{ role: cap.spentUsd >= cap.capUsd ? "meterHigh" : "warning", text }];
}

/** Columns reserved for the size to grow, so that no fact disappears when a number gains a digit. */
function spareFor(input: MeterInput): number {
  const widest = `  9.9k of ${shortTokens(input.reading.effectiveTokens)} · 99 %`;
  return Math.max(0, widest.length - lineWidth(sizeForms(input)[0] ?? []));
}

/** Share of the window from which the size is amber. */
const highShare = 0.85;

/** Red only if the next request may not fit. */
function sizeForms({ reading, liveTokens, draftTokens }: MeterInput): Segment[][] {
  const { usedTokens, effectiveTokens, errorTokens } = reading;
  const used = usedTokens + liveTokens;
  const next = used + draftTokens;
  const high: Role = next >= effectiveTokens * highShare ? "meterMiddle" : "strong";
  const role: Role = next > effectiveTokens ? "meterHigh" : high;
  const about = errorTokens > used * noticeableError ? "~" : "";
  const percent = `${Math.round((used / effectiveTokens) * 100)} %`;
  return [
    `  ${about}${shortTokens(used)} of ${shortTokens(effectiveTokens)} · ${percent}`,
    `  ${percent}`,
  ].map((text) => [{ role, text }]);
}

/** Minimum size of a draft to be shown, in tokens. */
const minDraft = 100;

const draftForms = ({ draftTokens }: MeterInput): Segment[][] =>
  draftTokens < minDraft
    ? []
    : [[{ role: "meterUser", text: `  +~${shortTokens(draftTokens)} draft` }]];

type NextForms = { isLater: boolean; forms: Segment[][] };

/** The forecast in shorter and shorter forms; empty without a forecast. */
function nextForms(input: MeterInput): NextForms {
  const { reading, liveTokens, draftTokens, forecast, isPreparing } = input;
  const next = nextUp(forecast, reading.usedTokens + liveTokens + draftTokens, isPreparing);
  if (forecast.pays && next?.when !== "message" && next?.when !== "written")
    return adviceForms(forecast.pays.calls, input);
  if (!next) return { isLater: false, forms: [] };
  const { action, asks, when, summary, freesTokens, usd, isEstimate } = next;
  const isRough = reading.cost.isEstimate ?? isEstimate;
  const frees =
    freesTokens > 0 ? `frees ${isEstimate ? "about " : ""}${shortTokens(freesTokens)}` : "";
  const price = usd >= 0.005 ? ` for ${showUsd(usd, isRough)}` : "";
  const isLater = typeof when === "object" && "atMs" in when;
  const say = (...texts: string[]): NextForms => ({
    isLater,
    forms: texts.map((text) => [dim(`  ${text}`)]),
  });
  if (summary?.isReady) {
    const ready = "summary ready";
    const effect = frees === "" ? ready : `${ready}: ${frees}`;
    return say(effect + price, effect, ready, ready);
  }
  const at = inWords(when, reading.usedTokens + liveTokens + draftTokens);
  const does = `${asks ? "asks to " : ""}${action}`;
  const whole = `next: ${does} ${at}`;
  const effect = frees === "" ? whole : `${whole}, ${frees}`;
  if (isLater) return say(effect + price, effect);
  const verb = action.split(" ", 1)[0] ?? action;
  return say(effect + price, effect, whole, `${asks ? "asks to " : ""}${verb} ${at}`);
}

/** Advice when a summary would soon pay for itself. */
function adviceForms(calls: number, { reading, compactKey }: MeterInput): NextForms {
  const key = compactKey ? ` · ${compactKey}` : "";
  const pays = `a summary pays after ${counted(calls, "call")}${key}`;
  const read = `each call reads ${shortTokens(reading.usedTokens)}: ${pays}`;
  const forms = [read, pays, pays, pays].map((text) => [dim(`  ${text}`)]);
  return { isLater: false, forms };
}

type ShownNext = NonNullable<ReturnType<typeof nextUp>>;

function inWords(when: ShownNext["when"], usedTokens: number): string {
  if (when === "message") return "with your next message";
  if (when === "written") return "once ready";
  if ("atMs" in when) return "when the cache expires";
  const at = shortTokens(when.atTokens);
  // After "24k of 180k", "at 24k" would carry no information.
  return at === shortTokens(usedTokens)
    ? `in ${counted(Math.ceil(when.atTokens - usedTokens), "token")}`
    : `at ${at}`;
}

/** Relative uncertainty from which a size is marked with "~". */
const noticeableError = 0.05;

const dim = (text: string): Segment => ({ role: "dim", text });

/** Minutes, so that an idle screen changes once a minute. */
function cacheFact({ cache }: MeterReading, nowMs: number): Segment[] {
  if (cache.state === "cold") return [dim("  cache cold")];
  // Unknown lifetime: show nothing.
  if (cache.expiresAtMs === null) return [];
  const minutes = Math.max(1, Math.ceil((cache.expiresAtMs - nowMs) / 60_000));
  return [{ role: "good", text: `  cache ${minutes} min` }];
}
