/**
 * The facts in the log. An entry is appended once and never changed; everything else (what the
 * model sees, the meter, the screen) is derived from entries.
 */

import type {
  AssistantBlock,
  CompactionBlock,
  ResultBlock,
  ToolInput,
  UserBlock,
} from "./block.ts";
import type { Prices, Stop, ToolDefinition, Usage } from "./model.ts";

/** Unique in its log, short because placeholders name it: "e1", "e2", ... in order of appending. */
export type EntryId = string;

export type Entry = { id: EntryId; parent: EntryId | null; /** ISO 8601, UTC */ at: string } & Fact;

export type Fact =
  | SessionFact
  | UserFact
  | ContextFact
  | AssistantFact
  | ResultFact
  | CutFact
  | RestoreFact
  | PinFact
  | ModelFact
  | CheckpointFact
  | CountFact
  | RefreshFact
  | HeadFact
  | AttemptFact
  | RepairFact
  | NoteFact
  | UnknownFact;

export type EntryOf<T extends Fact["type"]> = Extract<Entry, { type: T }>;

/**
 * First of every log. System prompt and tools are fixed here, byte for byte, for the session. A later
 * one replaces them, as if all that came before had been edited: it is written only when a program
 * of a newer format resumes the session.
 */
export type SessionFact = {
  type: "session";
  version: number;
  session: string;
  cwd: string;
  model: string;
  system: string;
  tools: ToolDefinition[];
  /** Set when the conversation was imported from another agent. */
  imported?: ImportedFrom;
  /** Set when another session's agent began this one to have a task done. */
  startedBy?: { session: string; toolUse: string; type: string };
};

/** A session of another agent, by that agent's name for it. */
type ImportedFrom = {
  /** "Claude Code", "pi", "Codex". */
  agent: string;
  id: string;
  /** The file it was read from, and how many bytes of it. */
  file: string;
  bytes: number;
};

/** What the user asked. */
export type UserFact = {
  type: "user";
  content: UserBlock[];
  /** The name that a client gave the message. */
  uuid?: string;
};

/** What the program tells the model: sent as a user message, shown as context. */
export type ContextFact = {
  type: "context";
  kind:
    | "instructions"
    | "environment"
    | "mode"
    | "shell"
    | "recall"
    | "reminder"
    | "tools"
    | "attachment";
  title: string;
  content: UserBlock[];
  /** It is the report of a subagent. */
  subagent?: SubagentRun;
};

/** One answer of a model, and thus one call. */
type AssistantFact = {
  type: "assistant";
  content: AssistantBlock[];
  model: string;
  usage: Usage;
  stop: Stop;
  /** When the request was sent (ISO 8601): the cache's lifetime starts here. */
  sentAt: string;
  /** Thinking blocks that the server dropped from the request. */
  droppedThinking?: number;
};

export type ResultFact = {
  type: "result";
  toolUse: string;
  tool: string;
  content: ResultBlock[];
  /** Size of the whole result before any preview, in bytes. */
  bytes: number;
  lines: number;
  /** Where the whole result is, when `content` is only a preview of it. */
  file?: string;
  isError?: true;
  /** Tools that the model can call once it has seen this result. */
  loads?: ToolDefinition[];
  /** Files that this result shows or wrote, as they were at that moment. */
  stamps?: FileStamp[];
  /** The result is the report of a subagent. */
  subagent?: SubagentRun;
  /** What the tool's own calls of a model cost. */
  spent?: Spent;
};

/** Calls of a model that are no entries of this session. */
export type Spent = {
  model: string;
  usage: Usage;
  /** US dollars, at the prices of that model. */
  usd: number;
};

/** What a subagent did, in a session of its own. */
export type SubagentRun = Spent & {
  session: string;
  /** The name of its definition. */
  type: string;
  /** Tool calls. */
  calls: number;
};

export type FileStamp = {
  path: string;
  does: "read" | "write";
  /** Hash of the file's bytes, to detect later changes. */
  hash: string;
  bytes: number;
  /** The lines that were shown, first to last, from 1; absent: the whole file. */
  lines?: [number, number];
};

export type TierName = "persist" | "budget" | "snip" | "microcompact" | "summary" | "manual";

export type Trigger = "auto" | "idle" | "key" | "command" | "model" | "too-long" | "inspector";

/** Ends are entries of the log on the path from the head to the root, both included. */
export type Span = { from: EntryId; to: EntryId };

/** One change to the view, never to the log. */
export type Change =
  /** A result's content is replaced by `text`. */
  | { kind: "replace"; entry: EntryId; text: string }
  /** A large input of a tool call is replaced by a shorter one; the call itself stays. */
  | { kind: "input"; entry: EntryId; toolUse: string; input: ToolInput }
  /**
   * Everything in the span is replaced by `text`, or by the server's signed block, which says the
   * same. That block cannot be edited, so what is `kept` beside it appears where the cut is.
   */
  | { kind: "cover"; span: Span; text: string; block?: CompactionBlock; kept?: string };

/** What a change of the view costs and frees. Estimated beforehand, in tokens and US dollars. */
export type Price = {
  usedBefore: number;
  usedAfter: number;
  /** Cached tokens after the first changed byte, which must be written again. */
  cachedBroken: number;
  /** Cost of writing them again, and of the summary's call. */
  usd: number;
  /** Calls after which the smaller context has paid for itself; null: never. */
  breakEvenCalls: number | null;
};

export type CutFact = {
  type: "cut";
  tier: TierName;
  trigger: Trigger;
  reason: string;
  changes: Change[];
  price: Price;
  /** Made in the middle of a tool loop because the next request would not fit. */
  midLoop?: true;
  summary?: SummaryReport;
};

/** How a summary was made, and what the view no longer contains. */
export type SummaryReport = {
  by: "model" | "extract" | "server";
  focus?: string;
  usage?: Usage;
  /** Messages covered. */
  messages: number;
  /** Instructions that the model's summary had dropped, restored verbatim. */
  instructionsPutBack: string[];
  losses: Loss[];
};

export type Loss = {
  kind: "path" | "error" | "identifier" | "number" | "decision" | "instruction";
  text: string;
  /** Where the original is. */
  entry: EntryId;
};

/** Undoes a cut: all of it, or the part that hides `entry`. */
type RestoreFact = { type: "restore"; cut: EntryId; entry?: EntryId; price: Price };

export type PinFact = { type: "pin"; entry: EntryId; on: boolean };

/** The model changed during the session. */
export type ModelFact = {
  type: "model";
  model: string;
  /** Of the model until now; absent if they are not known. */
  pricesBefore?: Prices;
};

/** Contents of files before a tool changed them, by hash; null: the file did not exist. */
export type CheckpointFact = {
  type: "checkpoint";
  toolUse: string;
  files: { path: string; before: string | null; after: string | null }[];
};

/** Tokens of the next request, as counted by the API while idle, free of charge. */
type CountFact = {
  type: "count";
  tokens: number;
  /** The size of the window, if the server reported it. */
  windowTokens?: number;
};

/** The server read its cache of the last request again while a tool ran, so that it does not expire. */
type RefreshFact = { type: "refresh"; sentAt: string; usage: Usage };

/** Moves the head to its parent: a rewind, or the return to a branch. */
type HeadFact = { type: "head"; why: string };

/** A summary that was proposed or begun but not used, so that it is not tried again at once. */
type AttemptFact = {
  type: "attempt";
  /**
   * "declined" by the user or a hook; "stopped" by the user; "failed" for a passing reason or because
   * the summary was unusable; "refused": it will never work.
   */
  outcome: "declined" | "stopped" | "failed" | "refused";
  /** Whose summary it was; null when nobody was asked to write one. */
  by: "model" | "server" | null;
  trigger: Trigger;
  reason: string;
  /** Reading of the meter at that time. */
  usedTokens: number;
  /** What the calls cost all the same. */
  usage?: Usage;
};

/** Content that the API refused, or would refuse: later requests leave it out. */
type RepairFact = {
  type: "repair";
  /** Thinking before this entry is no longer sent. */
  dropsThinking?: true;
  /** Blocks replaced by text. `index` counts the blocks of the entry's content. */
  blocks: { entry: EntryId; index: number; text: string }[];
};

/** For the user, never sent. */
export type NoteFact = {
  type: "note";
  kind: "error" | "warning" | "info" | "permission" | "title";
  text: string;
  /** What calls of a model that it is about cost. */
  spent?: Spent;
};

/** A fact of a later version: kept unchanged, ignored by the view. */
type UnknownFact = { type: "unknown"; raw: { [key: string]: unknown } };
