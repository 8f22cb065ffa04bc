import { takeStart, countLines } from "../../base/clip.ts";
import {
  textOf,
  type AssistantBlock,
  type ResultBlock,
  type ToolInput,
  type UserBlock,
} from "../../protocol/block.ts";
import type {
  Change,
  ContextFact,
  EntryId,
  Fact,
  FileStamp,
  NoteFact,
  Trigger,
} from "../../protocol/entry.ts";
import type { Stop, Usage } from "../../protocol/model.ts";
import { ourCall, ourName, stampsOfCall } from "./foreign-calls.ts";
import { cleanLine } from "./json.ts";
import type { Skipped } from "./skipped.ts";

const errorChars = 10_000;

/** Where entries go: a new log, or a list in memory. */
export type Target = { append(fact: Fact, at: string, parent: EntryId | null): EntryId };

/** An entry and the number of entries before it on its path. */
type Point = { readonly id: EntryId; readonly depth: number };

/** A written entry, and the state of the path up to it. */
export type EntryOrigin = Point & {
  /** Calls of the latest answer without a result, and the position before that answer. */
  readonly openCalls: number;
  readonly beforeAnswer: Point | null;
  /** The first entry after the session entry. */
  readonly first: EntryId | null;
  /** The path has a message with the role "user". */
  readonly isOpened: boolean;
  /** The depth up to which summaries cover the path. */
  readonly covered: number;
  readonly model: string;
};

type ImportedAnswer = {
  content: AssistantBlock[];
  /** The name in the file. */
  model: string | null;
  usage: Usage;
  /** Absent: derived from whether it calls tools. */
  stop?: Stop | undefined;
};

type ImportedResult = {
  /** The id of its call in the file. */
  call: string;
  content: ResultBlock[];
  isError: boolean;
  /** The tool, when the call is missing. */
  tool?: string;
};

type Summary = {
  text: string;
  trigger: Trigger;
  tokensBefore: number;
  /** Null: not in the file. */
  tokensAfter?: number | null;
  /** The last entry that the summary covers, when later ones were kept; null: all. */
  coverTo?: EntryOrigin | null;
};

/**
 * Writes the events of another agent as log entries, along a path that may fork. Whatever it is
 * given, in whatever order, every path gives a valid request: it begins with a user message, call ids
 * are unique and valid, and a cut never separates a call from its result.
 */
export class EntryWriter {
  /** Counts what is not imported from the file. */
  readonly skipped: Skipped;
  readonly #target: Target;
  readonly #agent: string;
  readonly #calls = new CallIds();
  #place: EntryOrigin;
  /** Time of the previous entry. */
  #atMs: number;
  #nextMs: number | null = null;
  /** Time of the latest entry of any branch, milliseconds since the epoch. */
  lastMs: number;
  /** Number of messages and results so far. */
  conversation = 0;
  /** The beginning of the first user message. */
  firstWords = "";

  constructor(target: Target, agent: string, skipped: Skipped, session: Fact, atMs: number) {
    this.#target = target;
    this.#agent = agent;
    this.skipped = skipped;
    this.#atMs = atMs;
    this.lastMs = atMs;
    const model = session.type === "session" ? session.model : "";
    this.#place = {
      id: target.append(session, new Date(atMs).toISOString(), null),
      depth: 0,
      openCalls: 0,
      beforeAnswer: null,
      first: null,
      isOpened: false,
      covered: 0,
      model,
    };
  }

  /** The entry that the next one will follow. */
  get place(): EntryOrigin {
    return this.#place;
  }

  /** Continues from an earlier entry. */
  goTo(place: EntryOrigin): void {
    this.#place = place;
  }

  /** Sets the time of what is written next; null: that of the previous entry. */
  at(ms: number | null): this {
    this.#nextMs = ms;
    return this;
  }

  user(content: UserBlock[]): void {
    if (!content.some(hasContent)) return;
    this.conversation++;
    this.firstWords ||= takeStart(textOf(content), 1_000);
    this.#write({ type: "user", content }, { isOpened: true });
  }

  context(kind: ContextFact["kind"], title: string, content: UserBlock[]): void {
    if (!content.some(hasContent)) return;
    this.#write({ type: "context", kind, title, content }, { isOpened: true });
  }

  answer({ content, usage, ...said }: ImportedAnswer): void {
    if (content.length === 0) return;
    const model = cleanLine(said.model ?? "unknown");
    const named = `${this.#agent}: ${model}`;
    this.#open();
    this.conversation++;
    if (this.#place.model !== named)
      this.#write({ type: "model", model: named }, { model: named }, this.#atMs);
    // The time of the request is not recorded; it is taken to be that of the entry before.
    const sentAt = new Date(this.#atMs).toISOString();
    const seen = new Set<string>();
    const blocks = content.flatMap((block): AssistantBlock[] => {
      if (block.type !== "tool_use") return [block];
      if (seen.has(block.id)) return [];
      seen.add(block.id);
      const call = ourCall(block);
      const { id, name } = this.#calls.open(block.id, call.name, call.input);
      return [{ type: "tool_use", id, name, input: call.input }];
    });
    const stop = said.stop ?? (seen.size > 0 ? "tool_use" : "end_turn");
    const fact = { type: "assistant", content: blocks, model, usage, stop, sentAt } as const;
    const { id, depth } = this.#place;
    const beforeAnswer = { id, depth };
    this.#write(fact, { openCalls: seen.size, beforeAnswer });
  }

  result({ call, content, isError, tool = "unknown" }: ImportedResult): void {
    const known = this.#calls.find(call);
    const text = textOf(content);
    const stamps = isError ? [] : (known?.stamps ?? []);
    this.#open();
    this.conversation++;
    const { id } = this.#write(
      {
        type: "result",
        toolUse: known?.id ?? call.slice(0, 64).toWellFormed(),
        tool: known?.name ?? ourName(tool),
        content,
        bytes: Buffer.byteLength(text),
        lines: countLines(text),
        ...(isError ? { isError: true as const } : {}),
        ...(stamps.length > 0 ? { stamps } : {}),
      },
      { openCalls: Math.max(0, this.#place.openCalls - 1) },
    );
    if (known) Object.assign(known, { result: id, stamps: [] });
  }

  /** For the user; never sent. */
  note(kind: NoteFact["kind"], text: string): void {
    this.#write({ type: "note", kind, text: text.toWellFormed() });
  }

  /** An error of the other agent, for the user. */
  error(text: string): void {
    this.note("error", takeStart(text, errorChars));
  }

  model(model: string): void {
    this.#write({ type: "model", model }, { model });
  }

  /** A summary that replaced what came before, as a cut that can be undone. */
  summarized({ text, trigger, tokensBefore, tokensAfter, coverTo = null }: Summary): void {
    if (text.trim() === "") return;
    const to = this.#endOfCover(coverTo);
    const { first } = this.#place;
    if (first === null || to === null || to.depth === 0) {
      this.context("recall", "summary", [{ type: "text", text: text.toWellFormed() }]);
      return;
    }
    const span = { from: first, to: to.id };
    const change: Change = { kind: "cover", span, text: text.toWellFormed() };
    const price = priceOf(tokensBefore, tokensAfter ?? Math.ceil(text.length / 4));
    const reason = `${this.#agent} compacted the conversation here.`;
    const report = {
      by: "model" as const,
      messages: to.depth,
      instructionsPutBack: [],
      losses: [],
    };
    this.#write(
      { type: "cut", tier: "summary", trigger, reason, changes: [change], price, summary: report },
      { covered: to.depth, isOpened: true },
    );
  }

  /** Results that were cleared, by the ids of their calls in the file. */
  cleared(
    calls: readonly string[],
    text: string,
    reason: string,
    [before, after]: [number, number],
  ): void {
    const entries = new Set(calls.flatMap((call) => this.#calls.find(call)?.result ?? []));
    const changes = [...entries].map((entry): Change => ({ kind: "replace", entry, text }));
    if (changes.length === 0) return;
    const price = priceOf(before, after);
    this.#write({ type: "cut", tier: "microcompact", trigger: "auto", reason, changes, price });
  }

  /**
   * The last entry that a summary covers: never a call without its results, never less than an
   * earlier summary did.
   */
  #endOfCover(wanted: EntryOrigin | null): Point | null {
    if (wanted === null) return this.#place;
    const end = wanted.openCalls > 0 ? wanted.beforeAnswer : wanted;
    return end !== null && end.depth >= this.#place.covered ? end : this.#place;
  }

  /** The API requires a user message first, but a file may begin in the middle. */
  #open(): void {
    if (this.#place.isOpened) return;
    const text = "The beginning of this conversation is missing from the imported file.";
    const content: UserBlock[] = [{ type: "text", text }];
    const fact = { type: "context", kind: "reminder", title: "beginning", content } as const;
    this.#write(fact, { isOpened: true }, this.#atMs);
  }

  #write(
    fact: Fact,
    changes: Partial<EntryOrigin> = {},
    ms: number = this.#nextMs ?? this.#atMs,
  ): EntryOrigin {
    const id = this.#target.append(fact, new Date(ms).toISOString(), this.#place.id);
    this.#atMs = ms;
    this.lastMs = Math.max(this.lastMs, ms);
    const { depth, first } = this.#place;
    this.#place = { ...this.#place, id, depth: depth + 1, first: first ?? id, ...changes };
    return this.#place;
  }
}

const hasContent = (block: UserBlock): boolean => block.type !== "text" || block.text.trim() !== "";

const priceOf = (usedBefore: number, usedAfter: number) => ({
  usedBefore: Math.max(0, usedBefore),
  usedAfter: Math.max(0, usedAfter),
  cachedBroken: 0,
  usd: 0,
  breakEvenCalls: null,
});

type ImportedCall = {
  id: string;
  name: string;
  /** The files that the call reads or writes; empty once its result has arrived. */
  stamps: FileStamp[];
  /** The latest result. */
  result: EntryId | null;
};

/**
 * Gives every imported call an id that the API accepts: letters, digits, `_` and `-`, and each id
 * once. The files of other agents contain ids of other services, and the same id more than once.
 */
class CallIds {
  /** The latest call of each id in the file. */
  readonly #latest = new Map<string, ImportedCall>();
  readonly #given = new Set<string>();
  /** Uses per id, so that a file that repeats one id a million times is still read quickly. */
  readonly #uses = new Map<string, number>();

  /** Opens a call; from now on, a result with this id belongs to it. */
  open(original: string, tool: string, input: ToolInput): ImportedCall {
    const name = spell(tool, "unknown");
    const id = this.#makeUnique(spell(original, "call"));
    const call = { id, name, stamps: stampsOfCall({ name, input }), result: null };
    this.#given.add(id);
    this.#latest.set(original, call);
    return call;
  }

  /** The latest call with that id, if any. */
  find(original: string): ImportedCall | undefined {
    return this.#latest.get(original);
  }

  #makeUnique(wanted: string): string {
    let id = wanted;
    for (let number = this.#uses.get(wanted) ?? 1; this.#given.has(id);) {
      id = `${wanted.slice(0, 50)}-${++number}`;
      this.#uses.set(wanted, number);
    }
    return id;
  }
}

/** Only characters that the API accepts. */
function spell(text: string, otherwise: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text) && !/^_+$/.test(text)) return text;
  const spelled = text.slice(0, 64).replace(/[^A-Za-z0-9_-]/g, "_");
  return /^_*$/.test(spelled) ? otherwise : spelled;
}
