/** A cut: its changes to the view, its price, and the losses of a summary. */

import { z } from "zod";
import { compactionSchema } from "./block.ts";
import { usageSchema } from "./model.ts";

export const tierSchema = z.enum([
  "persist",
  "budget",
  "snip",
  "microcompact",
  "summary",
  "manual",
]);
export type TierName = z.infer<typeof tierSchema>;

export const triggerSchema = z.enum([
  "auto",
  "idle",
  "key",
  "command",
  "model",
  "too-long",
  "inspector",
]);
export type Trigger = z.infer<typeof triggerSchema>;

/** Ends are entries of the log on the path from the head to the root, both included. */
const span = z.object({ from: z.string(), to: z.string() });
export type Span = z.infer<typeof span>;

/** The tier that made a change, where it is not the cut's own: a boundary's cuts are one. */
const otherTier = tierSchema.exactOptional();

/** One change to the view, never to the log. */
export const changeSchema = z.discriminatedUnion("kind", [
  /** A result's content is replaced by `text`. */
  z.object({ kind: z.literal("replace"), entry: z.string(), text: z.string(), tier: otherTier }),
  /** A large input of a tool call is replaced by a shorter one; the call itself stays. */
  z.object({
    kind: z.literal("input"),
    entry: z.string(),
    toolUse: z.string(),
    input: z.record(z.string(), z.unknown()),
    tier: otherTier,
  }),
  /**
   * Everything in the span is replaced by `text`, or by the server's signed block, which says the
   * same. That block cannot be edited, so what is `kept` beside it appears where the cut is.
   */
  z.object({
    kind: z.literal("cover"),
    span,
    text: z.string(),
    block: compactionSchema.exactOptional(),
    kept: z.string().exactOptional(),
  }),
]);
export type Change = z.infer<typeof changeSchema>;

/** The price of a change of the view. Estimated beforehand, in tokens and US dollars. */
export const priceSchema = z.object({
  usedBefore: z.number(),
  usedAfter: z.number(),
  /** Cached tokens after the first changed byte, which must be written again. */
  cachedBroken: z.number(),
  /** Cost of writing them again, and of the summary's call. */
  usd: z.number(),
  /** Calls after which the smaller context has paid for itself; null: never. */
  breakEvenCalls: z.number().nullable(),
  /** The prices of the model are. */
  isEstimate: z.literal(true).exactOptional(),
});
export type Price = z.infer<typeof priceSchema>;

/** A summary that waits for the next cut: the covered span, and its text or the server's block. */
export const draftSchema = z.object({
  span,
  text: z.string(),
  block: compactionSchema.exactOptional(),
});

const loss = z.object({
  kind: z.enum(["path", "error", "identifier", "number", "decision", "instruction"]),
  text: z.string(),
  /** The entry that holds the original. */
  entry: z.string(),
});
export type Loss = z.infer<typeof loss>;

/** How a summary was made, and what the view no longer contains. */
export const summarySchema = z.object({
  by: z.enum(["model", "extract", "server"]),
  focus: z.string().exactOptional(),
  usage: usageSchema.exactOptional(),
  /** For a summary written ahead: the attempt that holds its cost. */
  attempt: z.string().exactOptional(),
  /** Turns that began in the covered span; absent in old logs. */
  turns: z.number().exactOptional(),
  /** Instructions that the model's summary had dropped, restored verbatim. */
  instructionsPutBack: z.array(z.string()),
  losses: z.array(loss),
  /** Rules of the session that the view still holds word for word; absent in old logs. */
  rules: z.object({ kept: z.number(), all: z.number() }).exactOptional(),
});
export type SummaryReport = z.infer<typeof summarySchema>;
