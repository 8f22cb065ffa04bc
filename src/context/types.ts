/** The words of the context engine: what a view is, what a tier sees and what it proposes. */

import type { Change, Entry, EntryId, EntryOf, Price, Span, TierName } from "../protocol/entry.ts";
import type { Message, Usage } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import type { Calibration } from "./calibration.ts";
import type { Weight } from "./weigh.ts";

/** One entry of the path as the view shows it. */
export type Row = {
  readonly entry: Entry;
  /** "aside": never sent (notes, cuts, failed answers). */
  readonly shown: "whole" | "replaced" | "covered" | "aside";
  /** The standing cut that hides it. */
  readonly by?: EntryId;
  /** The text that stands in its place, when replaced. */
  readonly text?: string;
  /** What the row puts into the request now, and would put there if it were whole. */
  readonly weight: Weight;
  readonly wholeWeight: Weight;
  readonly chars: number;
  readonly wholeChars: number;
  readonly pinned: boolean;
};

/** What the model sees, and from which entries: a pure function of the path. */
export interface View {
  /** One per entry of the path, in order. */
  readonly rows: readonly Row[];
  readonly session: EntryOf<"session"> | null;
  readonly head: EntryId | null;
  /** The model that is asked next. */
  readonly model: string;
  /** Without cache marks; adjacent blocks of one role are one message. */
  readonly messages: readonly Message[];
  /** Position in `rows`. */
  indexOf(id: EntryId): number | undefined;
  /** Standing cuts, oldest first: made, valid, and not taken back. */
  readonly cuts: readonly EntryOf<"cut">[];
  /** Cuts that are not what they should be, and why: they change nothing. */
  readonly rejected: readonly { cut: EntryId; reason: string }[];
  /** Answers before this row show no thinking. */
  readonly thinkingFrom: number;
  /** Stale thinking is still in the messages, because a cut was forced into an open tool loop. */
  readonly staleThinking: boolean;
  /** The last answer calls tools: what follows belongs to its exchange, and so may not be cut. */
  readonly midLoop: boolean;
  /** Row from which on everything belongs to the open tool loop, or to the turn that begins. */
  readonly loopStart: number;
  /** Weight of everything in the request, system and tools included. */
  readonly total: Weight;
  readonly anchor: Anchor | null;
  readonly calibration: Calibration;
  /** Everything that was ever billed, and the last call. */
  readonly billed: Usage;
  readonly lastBill: Usage | null;
}

/** The last call that the server counted, and what the view weighed then. */
export type Anchor = {
  row: number;
  /** Tokens in the window after the answer. */
  usedTokens: number;
  weight: Weight;
  atMs: number;
  /** Weight of the rows before the first one that was changed since; null: none was. */
  unchanged: Weight | null;
};

export type Kind =
  | "system"
  | "tools"
  | "instructions"
  | "user"
  | "assistant"
  | "thinking"
  | "toolInputs"
  | "toolResults"
  | "summary";

/** The meter's one reading: shown on the screen, and what fires the tiers. Tokens, ms, dollars. */
export type Reading = {
  usedTokens: number;
  /** Half the width of the range in which the true value lies. */
  errorTokens: number;
  windowTokens: number;
  /** window - reserve */
  effectiveTokens: number;
  /** used / effective */
  utilisation: number;
  /** Until the effective window is full; negative beyond it. */
  leftTokens: number;
  next: { tier: TierName; atTokens: number } | null;
  breakdown: Record<Kind, number>;
  cache: { state: "hot" | "cold" | "none"; expiresAtMs: number | null; tokens: number };
  idleMs: number | null;
  /** US dollars. */
  cost: { session: number; lastCall: number };
};

/** When the pipeline is asked. Only at a boundary may history be rewritten at leisure. */
export type Moment = "turnStart" | "beforeCall" | "turnEnd";

/** All that a tier may know beside the view. */
export type Signals = {
  moment: Moment;
  reading: Reading;
  /** Tokens that a row takes now. */
  tokensOf(row: Row): number;
  /** Price of a change, by the same numbers. */
  priceOf(changes: readonly Change[]): Price;
  priceOfSummary(span: Span): Price;
};

/** One rule of when and what to cut. Pure, small, and of one signature. */
export type Tier = (view: View, now: Signals, policy: Policy) => Plan | null;

export type Plan = { tier: TierName; reason: string } & (
  { changes: Change[]; price: Price } | { summarise: Span; price: Price }
);
