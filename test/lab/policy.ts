/** A policy as the replay runs it: when to cut, and what replaces what is cut. */

import type { Projection } from "../../src/context/view/view.ts";
import type { Plan, Moment, MeterReading, View } from "../../src/context/types.ts";
import type { CompactionBlock } from "../../src/protocol/block.ts";
import type { Span } from "../../src/protocol/entry.ts";
import type { CacheTtl, ModelRules } from "../../src/protocol/model.ts";
import type { Policy } from "../../src/protocol/policy.ts";
import type { Arrive } from "./arrival.ts";
import type { Marking } from "./billing.ts";
import type { FileShadow } from "./file-shadow.ts";

/** The call that writes a summary, and what it puts into the view. */
export type Summary = {
  text: string;
  /** Written by the server: its block, beside which `text` is kept, and what it covers. */
  byServer?: { block: CompactionBlock; span: Span } | undefined;
  /** Files whose text is in it. */
  files: readonly string[];
  /** Tokens of the answer, including its analysis, which is dropped. */
  outputTokens: number;
  /** Tokens of its own prompt, which is sent instead of the conversation. */
  ownTokens?: number;
};

/** What a policy decides by. */
export type Now = { moment: Moment; view: View; reading: MeterReading; rules: ModelRules };

export interface ReplayPolicy {
  /** Where its rules are documented. */
  readonly source: string;
  /** The settings for the view's meter and tiers. */
  readonly numbers: Policy;
  readonly marks: Marking;
  /** A result as it enters the history; `file`: where the full result would be saved. */
  readonly arrive: Arrive;
  /** The next cut before this call, or null. Asked again after every cut. */
  plan(now: Now): Plan | null;
  summarize(view: View, span: Span, rules: ModelRules, files: FileShadow): Summary;
}

export type Settings = {
  rules: ModelRules;
  /** Tokens of the system prompt and the tools, where the recording does not hold them. */
  overheadTokens: number;
  /** Overrides the policy's own choice. */
  ttl: CacheTtl | null;
};

/** A request just before it is sent. */
export type Sent = {
  call: number;
  nowMs: number;
  projection: Projection;
  numbers: Policy;
  /**
   * The summary that is requested, and the tokens of its own prompt if that is sent instead; null:
   * the call itself.
   */
  summary: { span: Span; byServer: boolean; ownTokens?: number } | null;
  /** The last call again, to keep its cache alive. */
  refresh: boolean;
};

export type Watch = (sent: Sent) => void;

/** Tokens of a real summary: on average 4,300, after an analysis of about half of that. */
const summaryTokens = 4_300;
const analysisTokens = 2_000;
/** A summary is at most this share of what it covers. */
const maxShare = 1 / 3;

const filler = " (and so on, as a written summary would say at this length)";

/** The text at the size of a written summary; `perToken`: characters of prose per token. */
export function atRealSize(
  text: string,
  coveredChars: number,
  perToken: number,
): Pick<Summary, "text" | "outputTokens"> {
  const chars = Math.floor(Math.min(summaryTokens * perToken, coveredChars * maxShare));
  const missing = Math.max(0, chars - text.length);
  const padded = `${text}${filler.repeat(Math.ceil(missing / filler.length)).slice(0, missing)}`;
  return { text: padded, outputTokens: Math.ceil(padded.length / perToken) + analysisTokens };
}

/** Characters of a written summary. */
export const summaryChars = (perToken: number): number => Math.floor(summaryTokens * perToken);
