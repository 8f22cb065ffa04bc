import type { AssistantBlock, ResultBlock } from "../../../protocol/block.ts";
import type { Usage } from "../../../protocol/model.ts";
import { saidBlocks } from "../blocks.ts";
import { isRecord, jsonText, plainLine, timeOf } from "../json.ts";
import type { Skipped } from "../skipped.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import { answerOf, isOutput, outputOf, usageOf } from "./answer.ts";
import {
  compactedSchema,
  contextSchema,
  eventSchema,
  itemSchema,
  type CodexLine,
  type Event,
  type Item,
} from "./line.ts";
import { markOf } from "./words.ts";

type Result = { call: string; content: ResultBlock[]; isError: boolean; atMs: number | null };

/** An answer that still grows, and the results of its calls: a rollout has a line for each item. */
type Growing = {
  content: AssistantBlock[];
  atMs: number | null;
  usage: Usage | null;
  open: Set<string>;
  results: Result[];
};

/** Nobody takes back more at once. */
const mostTurns = 1_000;

const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** Tells a rollout line by line. */
export class Converter {
  readonly #scribe: EntryWriter;
  readonly #leftOut: Skipped;
  #growing: Growing | null = null;
  #model = "unknown";
  #lastTotal = "";
  /** Where the log stood before each of the person's messages, for rollbacks. */
  readonly #turns: EntryOrigin[] = [];

  constructor(scribe: EntryWriter, leftOut: Skipped) {
    this.#scribe = scribe;
    this.#leftOut = leftOut;
  }

  line({ type, name, timestamp, payload }: CodexLine): void {
    const atMs = timeOf(timestamp);
    switch (type) {
      case "session_meta":
        return;
      case "turn_context": {
        const context = contextSchema.safeParse(payload);
        this.#model = plainLine((context.success ? context.data.model : null) ?? this.#model);
        return;
      }
      case "response_item": {
        const item = itemSchema.safeParse(payload);
        return item.success ? this.#item(item.data, atMs) : this.#leftOut.add("unreadable items");
      }
      case "event_msg": {
        const event = eventSchema.safeParse(payload);
        return event.success
          ? this.#event(event.data, atMs)
          : this.#leftOut.add("unreadable events");
      }
      case "compacted":
        return this.#compacted(payload, atMs);
      case "other":
        return this.#leftOut.add(name);
    }
  }

  end(): void {
    this.#finish();
  }

  #item(item: Item, atMs: number | null): void {
    const content = answerOf(item, this.#leftOut);
    if (content !== null) return this.#grow(content, atMs);
    if (isOutput(item)) return this.#output(item, atMs);
    if (item.type === "message") return this.#message(item, atMs);
    this.#leftOut.add(`item ${item.type}`);
  }

  /** A new answer begins behind one that was counted, or that has all its results. */
  #grow(content: AssistantBlock[], atMs: number | null): void {
    const now = this.#growing;
    const isDone = now?.usage || (now && now.results.length > 0 && now.open.size === 0);
    if (isDone) this.#finish();
    const growing = (this.#growing ??= {
      content: [],
      atMs,
      usage: null,
      open: new Set(),
      results: [],
    });
    growing.content.push(...content);
    growing.atMs = atMs;
    for (const block of content) if (block.type === "tool_use") growing.open.add(block.id);
  }

  #output(item: Item, atMs: number | null): void {
    const call = item.call_id ?? "";
    const { content, isError } = outputOf(item);
    const said = saidBlocks(isRecord(content) ? jsonText(content) : content, this.#leftOut);
    const growing = this.#growing;
    if (growing?.open.delete(call)) growing.results.push({ call, content: said, isError, atMs });
    else {
      this.#finish();
      this.#scribe.result(call, said, isError, "unknown", atMs);
    }
  }

  #message(item: Item, atMs: number | null): void {
    this.#finish();
    const said = saidBlocks(item.content, this.#leftOut);
    if (item.role !== "user") {
      return this.#scribe.context("instructions", plainLine(item.role ?? "unknown"), said, atMs);
    }
    const first = said.find((block) => block.type === "text");
    const mark = first?.type === "text" ? markOf(first.text) : null;
    if (mark) return this.#scribe.context(mark.kind, mark.title, said, atMs);
    this.#turns.push(this.#scribe.place);
    if (this.#turns.length > mostTurns) this.#turns.shift();
    this.#scribe.user(said, atMs);
  }

  /** Events repeat what the items say, but for the tokens, and for what was taken back. */
  #event(event: Event, atMs: number | null): void {
    switch (event.type) {
      case "token_count":
        return this.#count(event);
      case "thread_rolled_back":
        return this.#rollBack(event.num_turns ?? 0);
      case "error":
        this.#finish();
        return this.#scribe.note("error", (event.message ?? "").slice(0, 10_000), atMs);
      case "thread_name_updated":
        return;
      default:
        this.#leftOut.add(`event ${event.type}`);
    }
  }

  /** The same count comes again with news of the rate limits. */
  #count({ info }: Event): void {
    const total = jsonText(info?.total_token_usage ?? null);
    if (info === null || total === this.#lastTotal) return;
    this.#lastTotal = total;
    if (this.#growing) this.#growing.usage ??= usageOf(info.last_token_usage);
  }

  #rollBack(turns: number): void {
    this.#finish();
    const count = Math.min(this.#turns.length, Math.max(0, Math.trunc(turns)));
    const places = this.#turns.splice(this.#turns.length - count, count);
    if (places[0]) this.#scribe.goTo(places[0]);
  }

  #compacted(payload: unknown, atMs: number | null): void {
    this.#finish();
    const parsed = compactedSchema.safeParse(payload);
    const text = (parsed.success ? parsed.data.message : null) ?? "";
    if (text.trim() === "") {
      const why =
        "Codex compacted here; its summary is encrypted, so all that came before is kept.";
      return this.#scribe.note("info", why, atMs);
    }
    this.#scribe.summarised(
      {
        text,
        trigger: "auto",
        reason: "Codex compacted the conversation here.",
        tokensBefore: 0,
        tokensAfter: Math.ceil(text.length / 4),
        coverTo: null,
      },
      atMs,
    );
  }

  #finish(): void {
    const growing = this.#growing;
    if (growing === null) return;
    this.#growing = null;
    const { content, usage, results, atMs } = growing;
    const stop = content.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
    this.#scribe.answer({ content, model: this.#model, usage: usage ?? noUsage, stop }, atMs);
    for (const { call, content: said, isError, atMs: cameMs } of results)
      this.#scribe.result(call, said, isError, "unknown", cameMs);
  }
}
