/** A recorded session as the replay reads it: what happened, call by call, without any cut. */

import { UsageError } from "../../src/config/usage-error.ts";
import type { AssistantBlock } from "../../src/protocol/block.ts";
import type { ContextFact, ResultFact, UserFact } from "../../src/protocol/entry.ts";
import type { ToolDefinition } from "../../src/protocol/model.ts";

export type Recording = {
  name: string;
  cwd: string;
  /** As in the session; null: not recorded. */
  system: string | null;
  tools: ToolDefinition[];
  calls: readonly RecordedCall[];
  /** What the server counted; absent: not recorded. */
  counted?: RecordedCounts | null;
};

export type RecordedCounts = {
  /** Tokens of the system prompt and the tools. */
  headTokens: number;
  /** Over the whole session. */
  charsPerToken: number;
  /** By the key of a block, see `keyOf` in `prompt-prefix.ts`. */
  tokens: ReadonlyMap<number, number>;
};

/** One call of the model: what came before it, and what it answered. */
export type RecordedCall = {
  before: readonly Before[];
  /** Time since the call before it; null: the recording has no times, or this is the first call. */
  gapMs: number | null;
  /** `before` holds a message of the user: a turn begins. */
  turnStart: boolean;
  answer: AssistantBlock[];
  /** Tokens that the answer was billed; null: not known, so its characters are counted. */
  outputTokens: number | null;
};

export type Before = UserFact | ContextFact | ResultFact;

/** Calls without recorded times follow each other at this distance. */
export const usualGapMs = 10_000;

/** A recording that cannot be read, in a sentence: what was named on the command line is wrong. */
export class RecordingError extends UsageError {}
