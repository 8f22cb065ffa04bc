import type { AssistantBlock, ResultBlock } from "../../../protocol/block.ts";
import { noUsage, type Stop, type Usage } from "../../../protocol/model.ts";
import { contentBlocks, markIn } from "../blocks.ts";
import { isRecord, jsonText, cleanLine, timeOf } from "../json.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import { answerOf, isOutput, outputOf, usageOf } from "./answer.ts";
import {
  interrupted,
  marks,
  type CodexLine,
  type Compacted,
  type Event,
  type Item,
} from "./line.ts";

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

export type Converter = ReturnType<typeof converterTo>;

/** Converts a rollout line by line. `typedTurns`: ids of the turns that a message of the user began. */
export function converterTo(writer: EntryWriter, typedTurns: ReadonlySet<string>) {
  const { skipped } = writer;
  let growing: Growing | null = null;
  let model = "unknown";
  let turn = "";
  let lastTotal = "";
  /** The log position before each user message, for rollbacks. */
  let turns: EntryOrigin[] = [];

  function bookmark(): Bookmark {
    finish();
    return { origin: writer.place, turns: [...turns] };
  }

  function goTo(mark: Bookmark): void {
    finish();
    writer.goTo(mark.origin);
    turns = mark.turns;
  }

  function take(line: CodexLine): void {
    const atMs = timeOf(line.timestamp);
    switch (line.type) {
      case "session_meta":
        return;
      case "turn_context":
        model = cleanLine(line.payload.model ?? model);
        return;
      case "response_item":
        return takeItem(line.payload, atMs);
      case "event_msg":
        return takeEvent(line.payload, atMs);
      case "compacted":
        return compact(line.payload, atMs);
      case "other":
        return skipped.add(line.name);
    }
  }

  function takeItem(item: Item, atMs: number | null): void {
    const content = answerOf(item, skipped);
    if (content !== null) return grow(content, atMs);
    if (isOutput(item)) return takeOutput(item, atMs);
    if (item.type === "message") return takeMessage(item, atMs);
    skipped.add(`item ${item.type}`);
  }

  /** A new answer begins after one that has its usage or all its results. */
  function grow(content: AssistantBlock[], atMs: number | null): void {
    const isAnswered = growing && growing.results.length > 0 && growing.open.size === 0;
    if (growing?.usage || isAnswered) finish();
    growing ??= { content: [], atMs, usage: null, open: new Set(), results: [] };
    growing.content.push(...content);
    growing.atMs = atMs;
    for (const block of content) if (block.type === "tool_use") growing.open.add(block.id);
  }

  function takeOutput(item: Item, atMs: number | null): void {
    const call = item.call_id ?? "";
    const { content, isError } = outputOf(item);
    const said = contentBlocks(isRecord(content) ? jsonText(content) : content, skipped);
    if (growing?.open.delete(call)) growing.results.push({ call, content: said, isError, atMs });
    else {
      finish();
      writer.at(atMs).result({ call, content: said, isError });
    }
  }

  function takeMessage(item: Item, atMs: number | null): void {
    // What Codex tells its own model would mislead another one.
    if (item.role !== "user") return skipped.add(`messages of ${cleanLine(item.role ?? "nobody")}`);
    const said = contentBlocks(item.content, skipped);
    const mark = markIn(said, marks);
    finish(mark?.title === interrupted ? "interrupted" : undefined);
    writer.at(atMs);
    if (mark) return writer.context(mark.kind, mark.title, said);
    turns.push(writer.place);
    if (turns.length > maxTurns) turns.shift();
    writer.user(said);
  }

  /** Events repeat the items, except for usage and rollbacks. */
  function takeEvent(event: Event, atMs: number | null): void {
    switch (event.type) {
      case "token_count":
        return takeUsage(event);
      case "thread_rolled_back":
        return rollBack(event.num_turns ?? 0);
      case "error":
        finish();
        return writer.at(atMs).error(event.message ?? "");
      case "task_started":
        turn = event.turn_id ?? "";
        return skipped.add("event task_started");
      case "turn_aborted":
        return finish("interrupted");
      case "thread_name_updated":
        return;
      default:
        skipped.add(`event ${event.type}`);
    }
  }

  /** The same count is repeated when the rate limits change. */
  function takeUsage({ info }: Event): void {
    const total = jsonText(info?.total_token_usage ?? null);
    if (info === null || total === lastTotal) return;
    lastTotal = total;
    if (growing) growing.usage ??= usageOf(info.last_token_usage);
  }

  function rollBack(wanted: number): void {
    finish();
    const undone = Math.min(turns.length, Math.max(0, Math.trunc(wanted)));
    const [place] = turns.splice(turns.length - undone, undone);
    if (place) writer.goTo(place);
  }

  function compact({ message, replacement_history }: Compacted, atMs: number | null): void {
    finish();
    writer.at(atMs);
    const summary = message ?? "";
    if (summary.trim() === "")
      return writer.note(
        "info",
        "Codex compacted here; its summary is encrypted, so all that came before is kept.",
      );
    const history = replacement_history ?? [];
    const text = [...history.flatMap((item) => wordsOf(item, summary)), summary].join("\n\n");
    const isManual = turn !== "" && !typedTurns.has(turn);
    writer.summarized({ text, trigger: isManual ? "command" : "auto", tokensBefore: 0 });
  }

  /** The user's messages, which Codex keeps with a summary; the summary itself is the last of them. */
  function wordsOf(item: Item, summary: string): string[] {
    if (item.type !== "message" || item.role !== "user") return [];
    const said = contentBlocks(item.content, skipped);
    const kind = markIn(said, marks)?.kind;
    if (kind !== undefined && kind !== "instructions") return [];
    return said.flatMap((block) =>
      block.type === "text" && block.text !== summary ? [block.text] : [],
    );
  }

  /** Writes the answer; `cutOff`: why it ended early. */
  function finish(cutOff?: Stop): void {
    if (growing === null) return;
    const { content, usage, results, atMs } = growing;
    growing = null;
    const calls = content.some((block) => block.type === "tool_use");
    const stop = calls ? undefined : cutOff;
    writer.at(atMs).answer({ content, model, usage: usage ?? noUsage, stop });
    for (const result of results) writer.at(result.atMs).result(result);
  }

  return { bookmark, goTo, take, end: finish };
}
