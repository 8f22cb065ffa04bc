import {
  textOf,
  type AssistantBlock,
  type ResultBlock,
  type UserBlock,
} from "../../protocol/block.ts";
import type {
  Change,
  ContextFact,
  EntryId,
  Fact,
  NoteFact,
  Trigger,
} from "../../protocol/entry.ts";
import type { Stop, Usage } from "../../protocol/model.ts";
import { ourName } from "../../protocol/other-agents.ts";
import { CallIds } from "./call-ids.ts";

/** Where entries go: a draft of a log, or a list in memory. */
export type Target = { append(fact: Fact, at: string, parent: EntryId | null): EntryId };

/** An entry and how many stand before it on its path. */
type Point = { readonly id: EntryId; readonly depth: number };

/** An entry that was written, and what is true of the path up to it. */
export type EntryOrigin = Point & {
  /** Calls of the latest answer that have no result yet, and the place before that answer. */
  readonly openCalls: number;
  readonly beforeAnswer: Point | null;
  /** First entry behind the session's own. */
  readonly first: EntryId | null;
  /** Something that is sent as the person's stands before. */
  readonly isOpened: boolean;
  /** Up to which depth a summary has covered the path. */
  readonly covered: number;
  readonly model: string;
};

export type ImportedAnswer = { content: AssistantBlock[]; model: string; usage: Usage; stop: Stop };

export type Summary = {
  text: string;
  trigger: Trigger;
  reason: string;
  tokensBefore: number;
  tokensAfter: number;
  /** The last entry that it speaks for, when later ones stayed beside it; null: for all. */
  coverTo: EntryOrigin | null;
};

/**
 * Writes what happened in another agent as our facts, along a path that may fork. Whatever it is
 * told, in whatever order, the path that it writes gives a valid request: it begins with the
 * person's side, its calls have ids that are unique and can be spelled, and a cut covers whole pairs.
 */
export class EntryWriter {
  readonly #target: Target;
  readonly #agent: string;
  readonly #ids = new CallIds();
  #place: EntryOrigin;
  #atMs: number;
  #lastMs: number;
  #conversation = 0;
  #firstWords = "";

  constructor(target: Target, agent: string, session: Fact, atMs: number) {
    this.#target = target;
    this.#agent = agent;
    this.#atMs = atMs;
    this.#lastMs = atMs;
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

  /** The entry that the next one follows. */
  get place(): EntryOrigin {
    return this.#place;
  }

  /** Time of the latest entry of any branch, milliseconds since the epoch. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** Words, answers and results so far. */
  get conversation(): number {
    return this.#conversation;
  }

  /** What the person asked first. */
  get firstWords(): string {
    return this.#firstWords;
  }

  /** Go on from an earlier entry. */
  goTo(place: EntryOrigin): void {
    this.#place = place;
  }

  user(content: UserBlock[], atMs: number | null): void {
    if (!content.some(hasContent)) return;
    this.#conversation++;
    this.#firstWords ||= textOf(content).slice(0, 1_000);
    this.#write({ type: "user", content }, atMs, { isOpened: true });
  }

  context(
    kind: ContextFact["kind"],
    title: string,
    content: UserBlock[],
    atMs: number | null,
  ): void {
    if (!content.some(hasContent)) return;
    this.#write({ type: "context", kind, title, content }, atMs, { isOpened: true });
  }

  answer({ content, model, usage, stop }: ImportedAnswer, atMs: number | null): void {
    if (content.length === 0) return;
    this.#open();
    this.#conversation++;
    this.#switchTo(`${this.#agent}: ${model}`);
    // Nobody noted when the request was sent; it was when the last word before it had come.
    const sentAt = new Date(this.#atMs).toISOString();
    const seen = new Set<string>();
    const blocks = content.flatMap((block): AssistantBlock[] => {
      if (block.type !== "tool_use") return [block];
      if (seen.has(block.id)) return [];
      seen.add(block.id);
      const { id, name } = this.#ids.open(block.id, block.name, block.input);
      return [{ type: "tool_use", id, name, input: block.input }];
    });
    const fact = { type: "assistant", content: blocks, model, usage, stop, sentAt } as const;
    const { id, depth } = this.#place;
    const beforeAnswer = { id, depth };
    this.#write(fact, atMs, { openCalls: seen.size, beforeAnswer });
  }

  /** `name` is for a result whose call is not there. */
  result(
    call: string,
    content: ResultBlock[],
    isError: boolean,
    name: string,
    atMs: number | null,
  ) {
    const known = this.#ids.find(call);
    const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    const stamps = isError ? [] : (known?.stamps ?? []);
    this.#open();
    this.#conversation++;
    const place = this.#write(
      {
        type: "result",
        toolUse: known?.id ?? call.slice(0, 64).toWellFormed(),
        tool: ourName(known?.name ?? name),
        content,
        bytes: Buffer.byteLength(text),
        lines: text === "" ? 0 : text.split("\n").length,
        ...(isError ? { isError: true as const } : {}),
        ...(stamps.length > 0 ? { stamps } : {}),
      },
      atMs,
      { openCalls: Math.max(0, this.#place.openCalls - 1) },
    );
    if (known) Object.assign(known, { stamps: null, result: place.id });
  }

  /** For the person, never sent. */
  note(kind: NoteFact["kind"], text: string, atMs: number | null): void {
    this.#write({ type: "note", kind, text: text.toWellFormed() }, atMs);
  }

  model(model: string, atMs: number | null): void {
    this.#write({ type: "model", model }, atMs, { model });
  }

  /** A summary that took the place of what came before, as a cut that can be taken back. */
  summarised(summary: Summary, atMs: number | null): void {
    const { text, trigger, reason, tokensBefore, tokensAfter } = summary;
    if (text.trim() === "") return;
    const to = this.#endOfCover(summary.coverTo);
    const { first } = this.#place;
    if (first === null || to === null || to.depth === 0) {
      this.context("recall", "summary", [{ type: "text", text: text.toWellFormed() }], atMs);
      return;
    }
    const span = { from: first, to: to.id };
    const change: Change = { kind: "cover", span, text: text.toWellFormed() };
    const price = priceOf(tokensBefore, tokensAfter);
    const report = {
      by: "model" as const,
      messages: to.depth,
      instructionsPutBack: [],
      losses: [],
    };
    this.#write(
      { type: "cut", tier: "summary", trigger, reason, changes: [change], price, summary: report },
      atMs,
      { covered: to.depth, isOpened: true },
    );
  }

  /** Results that gave way to a line, by the file's own ids of their calls. */
  cleared(
    calls: readonly string[],
    text: string,
    reason: string,
    [before, after]: [number, number],
    atMs: number | null,
  ): void {
    const entries = new Set(calls.flatMap((call) => this.#ids.find(call)?.result ?? []));
    const changes = [...entries].map((entry): Change => ({ kind: "replace", entry, text }));
    if (changes.length === 0) return;
    const price = priceOf(before, after);
    this.#write(
      { type: "cut", tier: "microcompact", trigger: "auto", reason, changes, price },
      atMs,
    );
  }

  /**
   * The last entry that a summary covers: no call without its results, and no less than an earlier
   * summary did.
   */
  #endOfCover(wanted: EntryOrigin | null): Point | null {
    if (wanted === null) return this.#place;
    const end = wanted.openCalls > 0 ? wanted.beforeAnswer : wanted;
    return end !== null && end.depth >= this.#place.covered ? end : this.#place;
  }

  /** The API wants the person's side first, and a file may begin in the middle. */
  #open(): void {
    if (this.#place.isOpened) return;
    const text = "The beginning of this conversation is not in the file that it was imported from.";
    this.context("reminder", "beginning", [{ type: "text", text }], null);
  }

  #switchTo(model: string): void {
    if (this.#place.model !== model) this.model(model, null);
  }

  #write(fact: Fact, atMs: number | null, news: Partial<EntryOrigin> = {}): EntryOrigin {
    const ms = atMs ?? this.#atMs;
    const id = this.#target.append(fact, new Date(ms).toISOString(), this.#place.id);
    this.#atMs = ms;
    this.#lastMs = Math.max(this.#lastMs, ms);
    const { depth, first } = this.#place;
    this.#place = { ...this.#place, id, depth: depth + 1, first: first ?? id, ...news };
    return this.#place;
  }
}

const hasContent = (block: UserBlock): boolean => block.type !== "text" || block.text.trim() !== "";

const priceOf = (usedBefore: number, usedAfter: number) => ({
  usedBefore,
  usedAfter,
  cachedBroken: 0,
  usd: 0,
  breakEvenCalls: null,
});
