import { countLines, takeStart } from "../../base/clip.ts";
import {
  blockText,
  findFilePath,
  type AssistantBlock,
  type ToolInput,
  type UserBlock,
} from "../../protocol/block.ts";
import type { Change, EntryId, Fact, FileStamp } from "../../protocol/entry.ts";
import { ourCall } from "../../tools/foreign-names.ts";
import { terminalLine } from "../../base/escape-terminal.ts";
import type { ForeignEvent } from "./source.ts";

const errorChars = 10_000;

/** Where entries go: a new log, or a list in memory. */
export type Destination = { append(fact: Fact, at: string, parent: EntryId | null): EntryId };

type Of<T extends ForeignEvent["type"]> = Extract<ForeignEvent, { type: T }>;

/**
 * Converts the events of another agent into log entries. Any input in any order yields a valid request: it begins
 * with a user message, call ids are unique and valid, and a cut never separates a call from its result.
 */
export class EntryWriter {
  readonly #target: Destination;
  readonly #agent: string;
  readonly #calls = new CallIds();
  /** The latest entry, and the number of entries before it. */
  #at: { id: EntryId; depth: number };
  /** The latest entry before each event. */
  readonly #before = new Map<ForeignEvent, { id: EntryId; depth: number }>();
  /** The first entry after the session entry. */
  #first: EntryId | null = null;
  /** A message with the role "user" has been written. */
  #isOpened = false;
  /** The depth up to which summaries cover the path. */
  #covered = 0;
  #model: string;
  /** Time of the previous entry. */
  #atMs: number;
  /** Time of the latest entry, milliseconds since the epoch. */
  lastMs: number;
  /** The beginning of the first user message. */
  firstWords = "";

  constructor(target: Destination, agent: string, session: Fact, atMs: number) {
    this.#target = target;
    this.#agent = agent;
    this.#atMs = atMs;
    this.lastMs = atMs;
    this.#at = { id: target.append(session, new Date(atMs).toISOString(), null), depth: 0 };
    this.#model = session.type === "session" ? session.model : "";
  }

  write(event: ForeignEvent): void {
    const ms = event.atMs ?? this.#atMs;
    this.#before.set(event, this.#at);
    switch (event.type) {
      case "user":
        if (!event.content.some(hasContent)) return;
        this.firstWords ||= takeStart(blockText(event.content), 1_000);
        return this.#append({ type: "user", content: event.content }, ms);
      case "context": {
        const { atMs: _, ...fact } = event;
        if (fact.content.some(hasContent)) this.#append(fact, ms);
        return;
      }
      case "answer":
        return this.#answer(event, ms);
      case "result":
        return this.#result(event, ms);
      case "summary":
        return this.#summary(event, ms);
      case "model":
        return this.#append({ type: "model", model: event.model }, ms);
      case "note": {
        const text = event.kind === "error" ? takeStart(event.text, errorChars) : event.text;
        this.#append({ type: "note", kind: event.kind, text: text.toWellFormed() }, ms);
      }
    }
  }

  #answer({ content, usage, model: theirs, stop }: Of<"answer">, ms: number): void {
    if (content.length === 0) return;
    const model = terminalLine(theirs ?? "unknown", 80);
    const named = `${this.#agent}: ${model}`;
    this.#open();
    if (this.#model !== named) this.#append({ type: "model", model: named }, this.#atMs);
    // The time of the request is not recorded; the time of the entry before stands in.
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
    const end = stop ?? (seen.size > 0 ? "tool_use" : "end_turn");
    this.#append({ type: "assistant", content: blocks, model, usage, stop: end, sentAt }, ms);
  }

  #result({ call, content, isError }: Of<"result">, ms: number): void {
    const known = this.#calls.latest.get(call);
    const text = blockText(content);
    const stamps = isError ? [] : (known?.stamps ?? []);
    this.#open();
    this.#append(
      {
        type: "result",
        toolUse: known?.id ?? call.slice(0, 64).toWellFormed(),
        tool: known?.name ?? "unknown",
        content,
        bytes: Buffer.byteLength(text),
        lines: countLines(text),
        ...(isError ? { isError: true as const } : {}),
        ...(stamps.length > 0 ? { stamps } : {}),
      },
      ms,
    );
    if (known) known.stamps = [];
  }

  /** A summary that replaced what came before, as a cut that can be undone. */
  #summary(event: Of<"summary">, ms: number): void {
    const { text, trigger, tokensBefore, tokensAfter, kept } = event;
    if (text.trim() === "") return;
    const first = this.#first;
    const before = kept && this.#before.get(kept);
    // It covers no less than an earlier summary did.
    const to = before && before.depth >= this.#covered ? before : this.#at;
    if (first === null || to.depth === 0) {
      const content: UserBlock[] = [{ type: "text", text }];
      return this.#append({ type: "context", kind: "recall", title: "summary", content }, ms);
    }
    const change: Change = { kind: "cover", span: { from: first, to: to.id }, text };
    const price = {
      usedBefore: Math.max(0, tokensBefore),
      usedAfter: Math.max(0, tokensAfter ?? Math.ceil(text.length / 4)),
      cachedBroken: 0,
      usd: 0,
      breakEvenCalls: null,
    };
    const reason = `${this.#agent} compacted the conversation here.`;
    const summary = {
      by: "model" as const,
      messages: to.depth,
      instructionsPutBack: [],
      losses: [],
    };
    this.#covered = to.depth;
    this.#append(
      { type: "cut", tier: "summary", trigger, reason, changes: [change], price, summary },
      ms,
    );
  }

  /** The API requires a user message first, but a file may begin in the middle. */
  #open(): void {
    if (this.#isOpened) return;
    const text = "The beginning of this conversation is missing from the imported file.";
    const content: UserBlock[] = [{ type: "text", text }];
    this.#append({ type: "context", kind: "reminder", title: "beginning", content }, this.#atMs);
  }

  #append(fact: Fact, ms: number): void {
    const { id: parent, depth } = this.#at;
    const id = this.#target.append(fact, new Date(ms).toISOString(), parent);
    this.#at = { id, depth: depth + 1 };
    this.#first ??= id;
    if (fact.type === "model") this.#model = fact.model;
    this.#isOpened ||= fact.type === "user" || fact.type === "context" || fact.type === "cut";
    this.#atMs = ms;
    this.lastMs = Math.max(this.lastMs, ms);
  }
}

/** Whether it is a message or a result, not something about them. */
export const isSaid = ({ type }: ForeignEvent): boolean =>
  type === "user" || type === "answer" || type === "result";

const hasContent = (block: UserBlock): boolean => block.type !== "text" || block.text.trim() !== "";

type ImportedCall = {
  id: string;
  name: string;
  /** The files that the call reads or writes; empty once its result has arrived. */
  stamps: FileStamp[];
};

/**
 * Gives every imported call a name and an id that the API accepts: letters, digits, `_` and `-`, and
 * each id once. The files of other agents contain ids of other services, and the same id twice.
 */
class CallIds {
  /** The latest call of each id in the file: a result with this id belongs to it. */
  readonly latest = new Map<string, ImportedCall>();
  readonly #given = new Set<string>();

  open(original: string, tool: string, input: ToolInput): ImportedCall {
    const name = tool.slice(0, 64).replace(/[^\w-]/g, "_") || "unknown";
    let id = /^[\w-]{1,64}$/.test(original) ? original : `call-${this.#given.size + 1}`;
    for (let n = this.#given.size; this.#given.has(id); n += 1) id = `call-${n}`;
    const call = { id, name, stamps: stampFiles(name, input) };
    this.#given.add(id);
    this.latest.set(original, call);
    return call;
  }
}

/**
 * The file that a call of our tools shows or writes. Its content was not recorded, so the hash is
 * empty and matches nothing: the file must be read again before it can be edited.
 */
export function stampFiles(name: string, input: ToolInput): FileStamp[] {
  const path = findFilePath(input);
  if (path === null) return [];
  if (name === "Edit" || name === "Write") return [{ path, does: "write", hash: "", bytes: 0 }];
  if (name !== "Read") return [];
  const { offset, limit } = input;
  if (typeof offset !== "number" && typeof limit !== "number")
    return [{ path, does: "read", hash: "", bytes: 0 }];
  const first = typeof offset === "number" ? offset : 1;
  const last = first + (typeof limit === "number" ? limit : 2_000) - 1;
  return [{ path, does: "read", hash: "", bytes: 0, lines: [first, last] }];
}
