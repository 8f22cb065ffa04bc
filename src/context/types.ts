/** The types of the context engine: the view, the input of a tier and its proposals. */

import type { ToolInput } from "../protocol/block.ts";
import type {
  Change,
  Entry,
  EntryId,
  EntryOf,
  FileStamp,
  Price,
  Span,
  TierName,
} from "../protocol/entry.ts";
import type { Message, ModelRules, Usage } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import type { Bills } from "./view/bills.ts";
import type { CharsByKind, Kind } from "./view/char-count.ts";
import type { Cover } from "./view/cuts.ts";
import type { TokenLedger } from "./view/token-ledger.ts";

/** One entry of the path as the view shows it. */
export type Row = {
  readonly entry: Entry;
  /** "unsent": never sent (notes, cuts, failed answers). */
  readonly shown: "whole" | "replaced" | "covered" | "unsent";
  /** A standing cut that hides or replaces it; `findCut` names the newest of several summaries. */
  readonly by?: EntryId | undefined;
  /** The text that replaces it, if any. */
  readonly text?: string | undefined;
  /** Inputs of its calls that are shorter now, by call. */
  readonly inputs?: ReadonlyMap<string, ToolInput> | undefined;
  /** Characters in the request: of the row as it is now, and as it would be if it were whole. */
  readonly charsByKind: CharsByKind;
  readonly wholeCharsByKind: CharsByKind;
  readonly chars: number;
  readonly wholeChars: number;
  readonly pinned: boolean;
};

/** A file that a result touched; `isPart`: not all of it was shown. */
export type Touch = { path: string; does: FileStamp["does"]; isPart: boolean };

/** A window learned from a refusal, in tokens. */
type ReportedWindow = {
  tokens: number;
  /** The window that was known until then; null in old logs. */
  known: number | null;
};

/** The messages that the model sees, and the rows behind them: a pure function of the path. */
export interface View {
  /** The entries as they were appended; a row's entry may have been repaired since. */
  readonly path: readonly Entry[];
  /** One per entry of the path, in order. */
  readonly rows: readonly Row[];
  readonly session: EntryOf<"session"> | null;
  readonly head: EntryId | null;
  /** The model that is asked next. */
  readonly model: string;
  /** Without cache marks; adjacent blocks of one role are one message. */
  readonly messages: readonly Message[];
  /** How a file was used last; undefined: no call has read or written it. */
  fileUse(path: string): FileUse | undefined;
  /** The user had a replacement in this entry undone: it is not cut again while the request fits. */
  isRestored(id: EntryId): boolean;
  /** Position in `rows`. */
  indexOf(id: EntryId): number | undefined;
  /** The rows of active summaries that no other covers, in order. */
  readonly covers: readonly Cover[];
  /** Active cuts, oldest first: valid and not undone. */
  readonly cuts: readonly EntryOf<"cut">[];
  /**
   * The tokens in use when the latest summary was declined or undone, by the user or by a hook; null:
   * the latest one is in effect, or there was none.
   */
  readonly declinedAt: number | null;
  /** A summary that is ready and was not used yet. */
  readonly draft: EntryOf<"attempt"> | null;
  /** Invalid cuts, which change nothing, and why they are invalid. */
  readonly rejected: readonly { cut: EntryId; reason: string }[];
  /** Messages of the rows up to and including one of them. Walks the path. */
  messagesTo(row: number): readonly Message[];
  /** Stale thinking is still in the messages, because a cut was forced into an open tool loop. */
  readonly staleThinking: boolean;
  /** Answers before this row show no thinking. */
  readonly thinkingFrom: number;
  /** The last answer calls tools: later rows belong to its exchange and may not be cut. */
  readonly midLoop: boolean;
  /** Row from which on everything belongs to the open tool loop, or to the turn that begins. */
  readonly loopStart: number;
  readonly tokenCounts: TokenCounts;
  readonly anchor: Anchor | null;
  /** The window that the server reported for the current model; null: it reported none. */
  readonly reportedWindow: ReportedWindow | null;
  /**
   * Shortest first, as the answers tell; null: the server has no marks, so that any prefix may be read. What
   * one call writes can be read again only as a whole.
   */
  readonly cachedPrefixes: readonly CachedPrefix[] | null;
  /** Grows with every change: two reads of one version are equal. */
  readonly version: number;
  /** Calls that were answered. */
  readonly calls: number;
  /** Everything that was billed, on all branches. */
  readonly bills: Bills;
  /** Usage of the last answered call. */
  readonly lastUsage: Usage | null;
}

export type FileUse = {
  /** Calls since the file was last read or written. */
  callsSince: number;
  edited: boolean;
};

/** The token ledger, for reading. */
export type TokenCounts = Pick<
  TokenLedger,
  | "calibration"
  | "counted"
  | "uncounted"
  | "editedTokens"
  | "total"
  | "countedTokens"
  | "countedWholeTokens"
>;

/** The last count by the server, and what the ledger had counted then. */
export type Anchor = {
  row: number;
  /** The model that was asked. */
  model: string;
  /** Tokens of the request. */
  usedTokens: number;
  countedTokens: number;
  /** When the last request was sent. */
  atMs: number;
  /**
   * The first row that has changed since the last call, and how far the server still caches what is before
   * it, in rows and tokens; null: none has.
   */
  changed: { row: number; cachedRows: number; tokensBefore: number } | null;
};

/** A prefix that the server caches: as many rows, and tokens. */
export type CachedPrefix = { rows: number; tokens: number };

/** The meter's one reading: what the screen shows and what triggers the tiers. Tokens, ms, dollars. */
export type MeterReading = {
  usedTokens: number;
  /** Half the width of the range in which the true value lies. */
  errorTokens: number;
  windowTokens: number;
  /** window - reserve */
  effectiveTokens: number;
  /** used / effective */
  utilization: number;
  /** Until the effective window is full; negative beyond it. */
  leftTokens: number;
  breakdown: Record<Kind, number>;
  cache: {
    /** "none": nothing was sent yet. */
    state: "hot" | "cold" | "none";
    /** Null: cold, or unknown lifetime. */
    expiresAtMs: number | null;
    tokens: number;
  };
  idleMs: number | null;
  /** US dollars; `isEstimate`: the model's prices are. */
  cost: { session: number; isEstimate?: true };
};

/** When the ladder is asked. Only at a boundary may history be rewritten freely. */
export type Moment = "turnStart" | "beforeCall" | "turnEnd";

/** The input of a tier. */
export type Signals = { view: View; reading: MeterReading; policy: Policy; rules: ModelRules };

/** The range of a manual summary; a missing end is chosen automatically. */
export type SummaryRange = { from?: EntryId | undefined; to?: EntryId | undefined };

/** A cut that a tier proposes. */
export type Plan = {
  tier: TierName;
  /** Its action, as an imperative: "clear 21 old results". */
  action: string;
  /** The action and its cause, as stored in the log. */
  reason: string;
} & (
  | { changes: Change[]; price: Price }
  /** `draft`: the attempt that already holds the summary and its cost. */
  | { summarize: Span; draft?: EntryId; price: Price }
);
