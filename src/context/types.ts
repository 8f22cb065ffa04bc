/** The words of the context engine: what a view is, what a tier sees and what it proposes. */

import type { Change, Entry, EntryId, EntryOf, Price, Span, TierName } from "../protocol/entry.ts";
import type { Message } from "../protocol/model.ts";

/** One entry of the path as the view shows it. */
export type Row = {
  readonly entry: Entry;
  /** "aside": never sent (notes, cuts, failed answers). */
  readonly shown: "whole" | "replaced" | "covered" | "aside";
  /** The standing cut that hides it. */
  readonly by?: EntryId;
  /** The text that stands in its place, when replaced. */
  readonly text?: string;
  /** Characters that the row puts into the request now, and would put there if it were whole. */
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
  /** Stale thinking is still in the messages, because a cut was forced into an open tool loop. */
  readonly staleThinking: boolean;
  /** The path ends inside a tool loop: calls were made since the last user entry. */
  readonly midLoop: boolean;
}

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
};

export type Plan = { tier: TierName; reason: string } & (
  { changes: Change[]; price: Price } | { summarise: Span; price: Price }
);
