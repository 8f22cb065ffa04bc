/**
 * The facts in the log. An entry is appended once and never changed; everything else (what the
 * model sees, the meter, the screen) is derived from entries. Each fact is a schema, by which a line
 * is checked when it is read, and a type. Fields that no schema names are kept.
 */

import { z } from "zod";
import {
  assistantBlockSchema,
  imageSchema,
  toolDefinitionSchema,
  userBlockSchema,
} from "./block.ts";
import {
  changeSchema,
  draftSchema,
  priceSchema,
  summarySchema,
  tierSchema,
  triggerSchema,
} from "./cut.ts";
import { pricesSchema, spentSchema as spent, stops, usageSchema } from "./model.ts";

export type { Change, Loss, Price, Span, SummaryReport, TierName, Trigger } from "./cut.ts";
export type { Spent } from "./model.ts";

/** Unique in its log, short because placeholders name it: "e1", "e2", ... in order of appending. */
export type EntryId = string;

export type Entry = { id: EntryId; parent: EntryId | null; /** ISO 8601, UTC */ at: string } & Fact;

export type Fact = z.infer<(typeof facts)[number]> | UnknownFact;

export type EntryOf<T extends Fact["type"]> = Extract<Entry, { type: T }>;

const flag = z.literal(true).exactOptional();
const said = z.array(userBlockSchema);
const tools = z.array(toolDefinitionSchema);

/** A subagent's work, in a session of its own. */
const subagent = spent.extend({
  session: z.string(),
  /** The name of its definition. */
  type: z.string(),
  /** Tool calls. */
  calls: z.number(),
  /** Milliseconds that its questions waited for the user. */
  waitedMs: z.number().exactOptional(),
});
export type SubagentRun = z.infer<typeof subagent>;

/**
 * First of every log. System prompt and tools are fixed here, byte for byte, for the session. A later
 * one replaces them, as if all that came before had been edited: it is written only when a program
 * of a newer format resumes the session.
 */
const session = z.object({
  type: z.literal("session"),
  version: z.number(),
  session: z.string(),
  cwd: z.string(),
  model: z.string(),
  system: z.string(),
  tools,
  /** Set when the conversation was imported from another agent; `id` is its id there. */
  imported: z
    .object({
      /** "Claude Code", "Codex". */
      agent: z.string(),
      id: z.string(),
      /** The file it was read from, and how many bytes of it. */
      file: z.string(),
      bytes: z.number(),
    })
    .exactOptional(),
  /** Set when another session's agent began this one to have a task done. */
  startedBy: z
    .object({ session: z.string(), toolUse: z.string(), type: z.string() })
    .exactOptional(),
});
export type SessionFact = z.infer<typeof session>;

/** A message of the user. */
const user = z.object({
  type: z.literal("user"),
  content: said,
  /** The command that the user typed, of which the content was made. */
  typed: z.string().exactOptional(),
  /** The name that a client gave the message. */
  uuid: z.string().exactOptional(),
  /** Sent while the agent worked, and delivered before its turn had ended. */
  midTurn: z.literal(true).exactOptional(),
});
export type UserFact = z.infer<typeof user>;

/** A message of the program to the model: sent as a user message, shown as context. */
const context = z.object({
  type: z.literal("context"),
  kind: z.enum([
    "instructions",
    "environment",
    "mode",
    "shell",
    "recall",
    "reminder",
    "tools",
    "attachment",
  ]),
  title: z.string(),
  content: said,
  /** For the report of a subagent. */
  subagent: subagent.exactOptional(),
});
export type ContextFact = z.infer<typeof context>;

/** One answer of a model, and thus one call. */
const assistant = z.object({
  type: z.literal("assistant"),
  content: z.array(assistantBlockSchema),
  model: z.string(),
  usage: usageSchema,
  stop: z.enum(stops),
  /** When the request was sent (ISO 8601): the cache's lifetime starts here. */
  sentAt: z.string(),
  /** Thinking blocks that the server dropped from the request. */
  droppedThinking: z.number().exactOptional(),
});

const stamp = z.object({
  path: z.string(),
  does: z.enum(["read", "write"]),
  /** Hash of the file's bytes, to detect later changes. */
  hash: z.string(),
  bytes: z.number(),
  /** The lines that were shown, first to last, from 1; absent: the whole file. */
  lines: z.tuple([z.number(), z.number()]).exactOptional(),
});
export type FileStamp = z.infer<typeof stamp>;

const result = z.object({
  type: z.literal("result"),
  toolUse: z.string(),
  tool: z.string(),
  content: said,
  /** Size of the whole result before any preview, in bytes. */
  bytes: z.number(),
  lines: z.number(),
  /** The change as a unified diff: for the screen, not for the model, which asked for it. */
  diff: z.string().exactOptional(),
  /** Where the whole result is, when `content` is only a preview of it. */
  file: z.string().exactOptional(),
  isError: flag,
  /** Tools that the model can call once it has seen this result. */
  loads: tools.exactOptional(),
  /** Files that this result shows or wrote, as they were at that moment. */
  stamps: z.array(stamp).exactOptional(),
  /** The result is the report of a subagent. */
  subagent: subagent.exactOptional(),
  /** The cost of the tool's own calls of a model. */
  spent: spent.exactOptional(),
});
export type ResultFact = z.infer<typeof result>;

/**
 * A call that a running call made itself, such as one of a script, with its result. The model sees neither:
 * only what the outer call returns.
 */
const step = result.omit({ type: true, loads: true }).extend({
  type: z.literal("step"),
  /** The id of the outer call; `toolUse` is the step's own. */
  outer: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** How long it took, in milliseconds, questions included. */
  ms: z.number(),
});

const cut = z.object({
  type: z.literal("cut"),
  tier: tierSchema,
  trigger: triggerSchema,
  reason: z.string(),
  changes: z.array(changeSchema),
  price: priceSchema,
  /** Made in the middle of a tool loop because the next request would not fit. */
  midLoop: flag,
  summary: summarySchema.exactOptional(),
  /** The cost of the summary, if another model than the session's wrote it. */
  spent: spent.exactOptional(),
});
export type CutFact = z.infer<typeof cut>;

/** Undoes a cut: all of it, or the part that hides `entry`. */
const restore = z.object({
  type: z.literal("restore"),
  cut: z.string(),
  entry: z.string().exactOptional(),
  /** Reverses the undo instead: the cut applies again, as if it had never been undone. */
  redo: flag,
  price: priceSchema,
});

const pin = z.object({ type: z.literal("pin"), entry: z.string(), on: z.boolean() });

/**
 * A rule that the user changed by hand: a new one, or one found in a message or a file that no longer applies.
 * Rules that are found need no entry.
 */
const rule = z.object({
  type: z.literal("rule"),
  text: z.string(),
  is: z.enum(["added", "removed", "done"]),
});

/** The model changed during the session. */
const model = z.object({
  type: z.literal("model"),
  model: z.string(),
  /** Prices of the model until now; absent if they are not known. */
  pricesBefore: pricesSchema.exactOptional(),
});

/** The content of a file before and after a tool changed it, by hash; null: there was no file. */
export const fileChangeSchema = z.object({
  path: z.string(),
  /**
   * The hash of a content, `link:` with what a symlink leads to, `folder`, or null: nothing. Not
   * kept: `same:` or `tree:` with what tells a large file or folder apart, and other words.
   */
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** The bits of permission, before and after. */
  mode: z.number().exactOptional(),
  modeAfter: z.number().exactOptional(),
  /** Something else may have changed it: a rewind leaves it unless it is told to. */
  unsure: flag,
  /** In older sessions: it was a program before. */
  executable: flag,
});

const checkpoint = z.object({
  type: z.literal("checkpoint"),
  toolUse: z.string(),
  files: z.array(fileChangeSchema),
});
export type CheckpointFact = z.infer<typeof checkpoint>;

/** Tokens of the next request, as counted by the API while idle, free of charge. */
const count = z.object({
  type: z.literal("count"),
  tokens: z.number(),
  /** The size of the window, if the server reported it. */
  windowTokens: z.number().exactOptional(),
  /** The window that was known until then. */
  knownWindow: z.number().exactOptional(),
});

/** The server read its cache of the last request again while a tool ran, so that it does not expire. */
const refresh = z.object({ type: z.literal("refresh"), sentAt: z.string(), usage: usageSchema });

/** Moves the head to its parent: a rewind, or the return to a branch. */
const head = z.object({ type: z.literal("head"), why: z.string() });

/** A summary that was proposed or begun but is not used, or not yet. */
const attempt = z.object({
  type: z.literal("attempt"),
  /**
   * "declined" by the user or a hook; "stopped" by the user; "failed" for a passing reason or because
   * the summary was unusable; "refused": it will never work; "ready": written in the background, for
   * the next cut.
   */
  outcome: z.enum(["declined", "stopped", "failed", "refused", "ready"]),
  /** The author of the summary; null: none was requested. */
  by: z.enum(["model", "server"]).nullable(),
  trigger: triggerSchema,
  reason: z.string(),
  /** Reading of the meter at that time. */
  usedTokens: z.number(),
  /** Usage of the calls, which are billed all the same: of the session's model, or of the one that writes summaries. */
  usage: usageSchema.exactOptional(),
  spent: spent.exactOptional(),
  /** The summary that is ready. */
  draft: draftSchema.exactOptional(),
});
export type AttemptFact = z.infer<typeof attempt>;

/** Content that the API refused, or would refuse: later requests leave it out. */
const repair = z.object({
  type: z.literal("repair"),
  /** Thinking before this entry is no longer sent. */
  dropsThinking: flag,
  /**
   * Blocks replaced by text, or by a smaller copy of their image. `index` counts the blocks of the entry's
   * content.
   */
  blocks: z.array(
    z.object({
      entry: z.string(),
      index: z.number(),
      text: z.string(),
      image: imageSchema.exactOptional(),
    }),
  ),
});

/** For the user, never sent. */
const note = z.object({
  type: z.literal("note"),
  kind: z.enum(["error", "warning", "info", "permission", "title"]),
  text: z.string(),
  /** The cost of the calls that it is about. */
  spent: spent.exactOptional(),
});
export type NoteFact = z.infer<typeof note>;

/** A fact of a later version: kept unchanged, ignored by the view. */
type UnknownFact = { type: "unknown"; raw: { [key: string]: unknown } };

const facts = [
  session,
  user,
  context,
  assistant,
  result,
  step,
  cut,
  restore,
  pin,
  rule,
  model,
  checkpoint,
  count,
  refresh,
  head,
  attempt,
  repair,
  note,
] as const;

/** By type, without `unknown`, which stands for all other types. */
export const factSchemas = new Map<string, z.ZodType<Fact>>(
  facts.map((schema) => [schema.shape.type.value, schema]),
);
