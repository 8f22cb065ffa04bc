/** A policy as the replay runs it: when to cut, and what stands there then. */

import type { Plan, Moment, MeterReading, View } from "../../context/types.ts";
import type { ResultFact, Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { Marking } from "./billing.ts";
import type { FileShadow } from "./files.ts";

/** The call that writes a summary, and what it puts into the view. */
export type Summary = {
  text: string;
  /** Files whose text is in it. */
  files: readonly string[];
  /** Tokens of its answer; its analysis, which is dropped, included. */
  outputTokens: number;
  /** It sends so many tokens of its own instead of the conversation. */
  ownTokens?: number;
};

export interface ReplayPolicy {
  readonly name: string;
  /** Where its rules are written down. */
  readonly source: string;
  /** The numbers that the view's meter and tiers go by. */
  readonly numbers: Policy;
  readonly marks: Marking;
  /** A result as it enters the history; `file`: where the whole of it would be. */
  arrive(result: ResultFact, file: string): ResultFact;
  /** The next cut before this call, or null. Asked again after every cut. */
  plan(moment: Moment, view: View, reading: MeterReading, rules: ModelRules): Plan | null;
  summarise(view: View, span: Span, files: FileShadow, rules: ModelRules): Summary;
}
