import type { AssistantBlock, ResultBlock } from "../../../protocol/block.ts";
import { noUsage, type Stop, type Usage } from "../../../protocol/model.ts";
import { contentBlocks } from "../blocks.ts";
import { markIn } from "../marks.ts";
import { isRecord, jsonText, cleanLine, timeOf } from "../json.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import { answerOf, isOutput, outputOf, usageOf } from "./answer.ts";
import type { CodexLine, Compacted, Event, Item } from "./line.ts";
import { interrupted, marks } from "./words.ts";

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
  #growing: Growing | null = null;
  readonly #typedTurns: ReadonlySet<string>;
  #model = "unknown";
  #turn = "";
  #lastTotal = "";
  /** The log position before each user message, for rollbacks. */
  #turns: EntryOrigin[] = [];

  /** `typedTurns`: ids of the turns that a message of the user began. */
  constructor(writer: EntryWriter, typedTurns: ReadonlySet<string>) {
    this.#writer = writer;
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

  line(line: CodexLine): void {
    const atMs = timeOf(line.timestamp);
    switch (line.type) {
      case "session_meta":
        return;
      case "turn_context":
        this.#model = cleanLine(line.context.model ?? this.#model);
        return;
      case "response_item":
        return this.#item(line.item, atMs);
      case "event_msg":
        return this.#event(line.event, atMs);
      case "compacted":
        return this.#compacted(line.compacted, atMs);
      case "other":
        return this.#writer.skipped.add(line.name);
    }
  }

  end(): void {
    this.#finish();
  }

  #item(item: Item, atMs: number | null): void {
    const content = answerOf(item, this.#writer.skipped);
    if (content !== null) return this.#grow(content, atMs);
    if (isOutput(item)) return this.#output(item, atMs);
    if (item.type === "message") return this.#message(item, atMs);
    this.#writer.skipped.add(`item ${item.type}`);
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
    const said = contentBlocks(
      isRecord(content) ? jsonText(content) : content,
      this.#writer.skipped,
    );
    const growing = this.#growing;
    if (growing?.open.delete(call)) growing.results.push({ call, content: said, isError, atMs });
    else {
      this.#finish();
      this.#writer.at(atMs);
      this.#writer.result({ call, content: said, isError });
    }
  }

  #message(item: Item, atMs: number | null): void {
    // What Codex tells its own model would mislead another one.
    if (item.role !== "user")
      return this.#writer.skipped.add(`messages of ${cleanLine(item.role ?? "nobody")}`);
    const said = contentBlocks(item.content, this.#writer.skipped);
    const mark = markIn(said, marks);
    this.#finish(mark?.title === interrupted ? "interrupted" : null);
    this.#writer.at(atMs);
    if (mark) return this.#writer.context(mark.kind, mark.title, said);
    this.#turns.push(this.#writer.place);
    if (this.#turns.length > maxTurns) this.#turns.shift();
    this.#writer.user(said);
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
        this.#writer.at(atMs);
        return this.#writer.error(event.message ?? "");
      case "task_started":
        this.#turn = event.turn_id ?? "";
        return this.#writer.skipped.add("event task_started");
      case "turn_aborted":
        return this.#finish("interrupted");
      case "thread_name_updated":
        return;
      default:
        this.#writer.skipped.add(`event ${event.type}`);
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

  #compacted({ message, replacement_history }: Compacted, atMs: number | null): void {
    this.#finish();
    this.#writer.at(atMs);
    const summary = message ?? "";
    if (summary.trim() === "") {
      const why =
        "Codex compacted here; its summary is encrypted, so all that came before is kept.";
      return this.#writer.note("info", why);
    }
    const history = replacement_history ?? [];
    const text = [...history.flatMap((item) => this.#wordsOf(item, summary)), summary].join("\n\n");
    const isManual = this.#turn !== "" && !this.#typedTurns.has(this.#turn);
    this.#writer.summarized({ text, trigger: isManual ? "command" : "auto", tokensBefore: 0 });
  }

  /** The user's messages, which Codex keeps with a summary; the summary itself is the last of them. */
  #wordsOf(item: Item, summary: string): string[] {
    if (item.type !== "message" || item.role !== "user") return [];
    const said = contentBlocks(item.content, this.#writer.skipped);
    const kind = markIn(said, marks)?.kind;
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
    this.#writer.at(atMs);
    this.#writer.answer({ content, model: this.#model, usage: usage ?? noUsage, stop });
    for (const result of results) {
      this.#writer.at(result.atMs);
      this.#writer.result(result);
    }
  }
}
