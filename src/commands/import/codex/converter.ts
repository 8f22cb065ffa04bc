/** Converts the lines of a rollout, which has one line per item, into entries. */

import { takeStart } from "../../../base/clip.ts";
import type { AssistantBlock, ResultBlock } from "../../../protocol/block.ts";
import { noUsage, type Stop, type Usage } from "../../../protocol/model.ts";
import { callOf, contentBlocks, markIn } from "../blocks.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import { cleanLine, countOf, isRecord, jsonText, parseJson, timeOf } from "../json.ts";
import type { Skipped } from "../skipped.ts";
import {
  interrupted,
  marks,
  type CodexLine,
  type Compacted,
  type Event,
  type Item,
} from "./line.ts";

type PendingResult = {
  call: string;
  content: ResultBlock[];
  isError: boolean;
  atMs: number | null;
};

/** An incomplete answer and the results of its calls: a rollout has one line per item. */
type Growing = {
  content: AssistantBlock[];
  atMs: number | null;
  usage: Usage | null;
  open: Set<string>;
  results: PendingResult[];
};

/** The most turns that one rollback can undo. */
const maxTurns = 1_000;

/** A position in the conversation to return to. */
export type Bookmark = { origin: EntryOrigin; turns: EntryOrigin[] };

export type Converter = ReturnType<typeof convertTo>;

/** Converts a rollout line by line. `typedTurns`: ids of the turns that a message of the user began. */
export function convertTo(writer: EntryWriter, typedTurns: ReadonlySet<string>) {
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

  return { bookmark, goTo, take, finish };
}

/** The blocks of an answer in an item; null when the item is not part of an answer. */
function answerOf(item: Item, skipped: Skipped): AssistantBlock[] | null {
  const id = item.call_id ?? item.id ?? "";
  switch (item.type) {
    case "message":
      return item.role === "assistant" ? textsOf(item.content, skipped) : null;
    case "reasoning": {
      const parts = [item.summary, item.content].flatMap((one) => contentBlocks(one, skipped));
      const thinking = parts.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n\n");
      if (thinking.trim() === "") skipped.add("encrypted reasoning");
      return thinking.trim() === "" ? [] : [{ type: "thinking", thinking, signature: "" }];
    }
    case "function_call": {
      const name = item.namespace ? `${item.namespace}-${item.name ?? ""}` : (item.name ?? "");
      return [callOf(id, name, item.arguments)];
    }
    case "custom_tool_call":
      return [callOf(id, item.name ?? "", { input: item.input })];
    case "local_shell_call":
      return [callOf(id, "local_shell", item.action)];
    case "tool_search_call":
      return [callOf(id, "tool_search", item.arguments)];
    case "web_search_call":
    case "image_generation_call": {
      skipped.add(`${item.type}, kept as a line of text`);
      const text = `[${item.type} ${takeStart(jsonText(item.action ?? null), 500)}]`;
      return [{ type: "text", text: text.toWellFormed() }];
    }
    default:
      return null;
  }
}

const textsOf = (content: unknown, skipped: Skipped): AssistantBlock[] =>
  contentBlocks(content, skipped).flatMap((block) => (block.type === "text" ? [block] : []));

const isOutput = ({ type }: Item): boolean =>
  type === "function_call_output" ||
  type === "custom_tool_call_output" ||
  type === "tool_search_output";

/** The output of a call: text, a list of blocks, or an object in old files. */
function outputOf(item: Item): { content: unknown; isError: boolean } {
  const { output } = item;
  if (item.type === "tool_search_output") return { content: jsonText(item.tools), isError: false };
  if (!isRecord(output)) return { content: output ?? "", isError: textsIn(output).some(isFailure) };
  const content = output["content_items"] ?? output["content"] ?? jsonText(output);
  return { content, isError: output["success"] === false };
}

const textsIn = (output: unknown): string[] =>
  (Array.isArray(output) ? output : [output]).flatMap((one: unknown) => {
    const text: unknown = isRecord(one) ? one["text"] : one;
    return typeof text === "string" ? [text] : [];
  });

/** Codex writes how a command ended before its output, or as a field of JSON. */
function isFailure(text: string): boolean {
  const [head = ""] = text.slice(0, 500).split(/^Output:/m, 1);
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(head)?.[1];
  if (code !== undefined) return code !== "0";
  const json = text.startsWith("{") ? parseJson(text) : null;
  if (!isRecord(json)) return false;
  const meta = json["metadata"];
  const exit = json["exit_code"] ?? (isRecord(meta) ? meta["exit_code"] : undefined);
  if (typeof exit === "number") return exit !== 0;
  return (
    typeof json["output"] === "string" &&
    /^Exit code: (?!0$)/m.test(json["output"].split("\n", 1)[0] ?? "")
  );
}

/** Codex includes tokens of the cache in the input. */
function usageOf(usage: unknown): Usage {
  const cacheRead = countOf(usage, "cached_input_tokens");
  const cacheWrite = countOf(usage, "cache_write_input_tokens");
  const input = Math.max(0, countOf(usage, "input_tokens") - cacheRead - cacheWrite);
  return { input, cacheRead, cacheWrite, output: countOf(usage, "output_tokens") };
}
