import { takeStart } from "../../../protocol/clip.ts";
import type { AssistantBlock, ResultBlock, UserBlock } from "../../../protocol/block.ts";
import { noUsage, type Stop, type Usage } from "../../../protocol/model.ts";
import { contentBlocks } from "../blocks.ts";
import { isRecord, jsonText, cleanLine, timeOf } from "../json.ts";
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
import { interrupted, markOf } from "./words.ts";

type Result = { call: string; content: ResultBlock[]; isError: boolean; atMs: number | null };

/** An incomplete answer and the results of its calls: a rollout has one line per item. */
type Growing = {
  content: AssistantBlock[];
  atMs: number | null;
  usage: Usage | null;
  open: Set<string>;
  results: Result[];
};

/** The most turns that one rollback can undo. */
const maxTurns = 1_000;

/** A position in the conversation to return to. */
export type Bookmark = { origin: EntryOrigin; turns: EntryOrigin[] };

/** Converts a rollout line by line. */
export class Converter {
  readonly #writer: EntryWriter;
  readonly #skipped: Skipped;
  #growing: Growing | null = null;
  readonly #typedTurns: ReadonlySet<string>;
  #model = "unknown";
  #turn = "";
  #lastTotal = "";
  /** The log position before each user message, for rollbacks. */
  #turns: EntryOrigin[] = [];

  /** `typedTurns`: ids of the turns that a message of the user began. */
  constructor(writer: EntryWriter, skipped: Skipped, typedTurns: ReadonlySet<string>) {
    this.#writer = writer;
    this.#skipped = skipped;
    this.#typedTurns = typedTurns;
  }

  bookmark(): Bookmark {
    this.#finish();
    return { origin: this.#writer.place, turns: [...this.#turns] };
  }

  goTo({ origin, turns }: Bookmark): void {
    this.#finish();
    this.#writer.goTo(origin);
    this.#turns = turns;
  }

  line({ type, name, timestamp, payload }: CodexLine): void {
    const atMs = timeOf(timestamp);
    switch (type) {
      case "session_meta":
        return;
      case "turn_context": {
        const context = contextSchema.safeParse(payload);
        this.#model = cleanLine((context.success ? context.data.model : null) ?? this.#model);
        return;
      }
      case "response_item": {
        const item = itemSchema.safeParse(payload);
        return item.success ? this.#item(item.data, atMs) : this.#skipped.add("unreadable items");
      }
      case "event_msg": {
        const event = eventSchema.safeParse(payload);
        return event.success
          ? this.#event(event.data, atMs)
          : this.#skipped.add("unreadable events");
      }
      case "compacted":
        return this.#compacted(payload, atMs);
      case "other":
        return this.#skipped.add(name);
    }
  }

  end(): void {
    this.#finish();
  }

  #item(item: Item, atMs: number | null): void {
    const content = answerOf(item, this.#skipped);
    if (content !== null) return this.#grow(content, atMs);
    if (isOutput(item)) return this.#output(item, atMs);
    if (item.type === "message") return this.#message(item, atMs);
    this.#skipped.add(`item ${item.type}`);
  }

  /** A new answer begins after one that has its usage or all its results. */
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
    const said = contentBlocks(isRecord(content) ? jsonText(content) : content, this.#skipped);
    const growing = this.#growing;
    if (growing?.open.delete(call)) growing.results.push({ call, content: said, isError, atMs });
    else {
      this.#finish();
      this.#writer.result(call, said, isError, "unknown", atMs);
    }
  }

  #message(item: Item, atMs: number | null): void {
    // What Codex tells its own model would mislead another one.
    if (item.role !== "user")
      return this.#skipped.add(`messages of ${cleanLine(item.role ?? "nobody")}`);
    const said = contentBlocks(item.content, this.#skipped);
    const mark = markIn(said);
    this.#finish(mark?.title === interrupted ? "interrupted" : null);
    if (mark) return this.#writer.context(mark.kind, mark.title, said, atMs);
    this.#turns.push(this.#writer.place);
    if (this.#turns.length > maxTurns) this.#turns.shift();
    this.#writer.user(said, atMs);
  }

  /** Events repeat the items, except for usage and rollbacks. */
  #event(event: Event, atMs: number | null): void {
    switch (event.type) {
      case "token_count":
        return this.#count(event);
      case "thread_rolled_back":
        return this.#rollBack(event.num_turns ?? 0);
      case "error":
        this.#finish();
        return this.#writer.note("error", takeStart(event.message ?? "", 10_000), atMs);
      case "task_started":
        this.#turn = event.turn_id ?? "";
        return this.#skipped.add("event task_started");
      case "turn_aborted":
        return this.#finish("interrupted");
      case "thread_name_updated":
        return;
      default:
        this.#skipped.add(`event ${event.type}`);
    }
  }

  /** The same count is repeated when the rate limits change. */
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
    if (places[0]) this.#writer.goTo(places[0]);
  }

  #compacted(payload: unknown, atMs: number | null): void {
    this.#finish();
    const parsed = compactedSchema.safeParse(payload);
    const summary = (parsed.success ? parsed.data.message : null) ?? "";
    if (summary.trim() === "") {
      const why =
        "Codex compacted here; its summary is encrypted, so all that came before is kept.";
      return this.#writer.note("info", why, atMs);
    }
    const history = (parsed.success ? parsed.data.replacement_history : null) ?? [];
    const text = [...history.flatMap((item) => this.#wordsOf(item, summary)), summary].join("\n\n");
    const isManual = this.#turn !== "" && !this.#typedTurns.has(this.#turn);
    this.#writer.summarized(
      {
        text,
        trigger: isManual ? "command" : "auto",
        reason: "Codex compacted the conversation here.",
        tokensBefore: 0,
        tokensAfter: Math.ceil(text.length / 4),
        coverTo: null,
      },
      atMs,
    );
  }

  /** The user's messages, which Codex keeps with a summary; the summary itself is the last of them. */
  #wordsOf(item: Item, summary: string): string[] {
    if (item.type !== "message" || item.role !== "user") return [];
    const said = contentBlocks(item.content, this.#skipped);
    const kind = markIn(said)?.kind;
    if (kind !== undefined && kind !== "instructions") return [];
    return said.flatMap((block) =>
      block.type === "text" && block.text !== summary ? [block.text] : [],
    );
  }

  /** Writes the answer; `cutOff`: why it ended early. */
  #finish(cutOff: Stop | null = null): void {
    const growing = this.#growing;
    if (growing === null) return;
    this.#growing = null;
    const { content, usage, results, atMs } = growing;
    const calls = content.some((block) => block.type === "tool_use");
    const stop = calls ? "tool_use" : (cutOff ?? "end_turn");
    this.#writer.answer({ content, model: this.#model, usage: usage ?? noUsage, stop }, atMs);
    for (const { call, content: said, isError, atMs: cameMs } of results)
      this.#writer.result(call, said, isError, "unknown", cameMs);
  }
}

function markIn(said: readonly UserBlock[]): ReturnType<typeof markOf> {
  const first = said.find((block) => block.type === "text");
  return first?.type === "text" ? markOf(first.text) : null;
}
