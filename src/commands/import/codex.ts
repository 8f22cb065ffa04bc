/** Reads a session of Codex: its own file, and those of the threads that it continues. */

import { takeStart } from "../../base/clip.ts";
import { blockText, type AssistantBlock } from "../../protocol/block.ts";
import { noUsage, type Stop, type Usage } from "../../protocol/model.ts";
import { contentBlocks, readCall, readWords, type Marks } from "./blocks.ts";
import {
  findThread,
  findTitle,
  isCodexLine,
  parseLine,
  type CodexLine,
  type Compacted,
  type Event,
  type CodexItem,
  type Meta,
} from "./codex-files.ts";
import type { ForeignEvent, ForeignStep, Untimed } from "./conversation.ts";
import { cleanLine, readCount, isRecord, jsonText, parseJson, readTime } from "./json.ts";
import {
  ForeignSession,
  SourceFile,
  type ReadConversation,
  type Reader,
  type Skipped,
} from "./source.ts";

export const codex: Reader = {
  recognizes: isCodexLine,
  read(file) {
    const session = new ForeignSession("Codex", file);
    const { segments, missing } = findThread(file.path);
    session.bytes = 0;
    const rollout = new Rollout(session, missing);
    for (const { path, end, hasBranch } of segments) {
      const source = path === file.path ? file : new SourceFile(path);
      session.bytes += source.bytes;
      rollout.takeFile(source, end, hasBranch);
    }
    session.title ??= findTitle(file.path, session.id);
    return rollout.end();
  },
};

type ForeignAnswer = Extract<ForeignEvent, { type: "answer" }>;
type Summary = Extract<ForeignEvent, { type: "summary" }>;

/** The most turns that one rollback can undo. */
const maxTurns = 1_000;

/** Takes a thread line by line; each event is a step, an answer with its results is one. */
class Rollout {
  readonly #session: ForeignSession;
  readonly #skipped: Skipped;
  readonly #steps: ForeignStep[] = [];
  #head: ForeignStep | null = null;
  /** An answer that may still grow: a rollout has one line per item. */
  #growing: {
    answer: ForeignAnswer;
    step: ForeignStep;
    open: Set<string>;
    isCounted: boolean;
  } | null = null;
  #model = "unknown";
  #lastTotal = "";
  /** The step before each user message, for rollbacks. */
  #turns: (ForeignStep | null)[] = [];
  /** The current turn: whether the user began it with a message, and its compactions until then. */
  #turn = { id: "", isTyped: false, summaries: [] as Summary[] };

  constructor(session: ForeignSession, missing: string | null) {
    this.#session = session;
    this.#skipped = session.skipped;
    if (missing === null) return;
    const text = `The beginning is in thread ${cleanLine(missing)}, whose file was not found.`;
    this.#add({ type: "note", kind: "info", text }, null);
  }

  /** Lines from the ordinal `end` on were left: they become a branch, or are skipped. */
  takeFile(file: SourceFile, end: number, hasBranch: boolean): void {
    let left: { head: ForeignStep | null; turns: (ForeignStep | null)[] } | null = null;
    let ordinal = -1;
    let hasHeader = false;
    for (const json of file.lines(this.#skipped)) {
      const line = parseLine(json);
      if (!line) {
        this.#skipped.add("lines that Codex does not write");
        continue;
      }
      ordinal = line.ordinal ?? ordinal + 1;
      if (ordinal >= end && left === null) {
        this.#finish();
        left = { head: this.#head, turns: [...this.#turns] };
      }
      if (line.type === "session_meta") {
        // A fork has the header of the session it comes from after its own.
        if (!hasHeader) this.#describe(line.payload, readTime(line.timestamp));
        hasHeader ||= Boolean(line.payload.id || line.payload.session_id);
      } else if (left === null || hasBranch) this.#take(line, readTime(line.timestamp));
    }
    this.#finish();
    if (left === null) return;
    this.#head = left.head;
    this.#turns = left.turns;
  }

  end(): ReadConversation {
    // The head may be in the middle of a branch that was rolled back.
    const latest = this.#begin();
    return { session: this.#session, steps: this.#steps, latest };
  }

  #describe(meta: Meta, atMs: number | null): void {
    const session = this.#session;
    session.id = meta.id || meta.session_id || session.id;
    session.cwd = meta.cwd ?? session.cwd;
    session.isSubagent =
      meta.thread_source === "subagent" || (isRecord(meta.source) && "subagent" in meta.source);
    session.startedMs = readTime(meta.timestamp) ?? atMs;
  }

  #begin(): ForeignStep {
    const step: ForeignStep = { parent: this.#head, events: [] };
    this.#steps.push(step);
    return (this.#head = step);
  }

  #add<T extends Untimed>(event: T, atMs: number | null): T & { atMs: number | null } {
    this.#finish();
    const timed = { ...event, atMs };
    this.#begin().events.push(timed);
    return timed;
  }

  #take(line: CodexLine, atMs: number | null): void {
    switch (line.type) {
      case "session_meta":
        return;
      case "turn_context":
        this.#session.cwd ??= line.payload.cwd;
        this.#model = cleanLine(line.payload.model ?? this.#model);
        return;
      case "response_item":
        this.#session.hasConversation = true;
        this.#session.startedMs ??= atMs;
        return this.#takeItem(line.payload, atMs);
      case "event_msg":
        return this.#takeEvent(line.payload, atMs);
      case "compacted":
        return this.#compact(line.payload, atMs);
      case "other":
        return this.#skipped.add(line.name);
    }
  }

  #takeItem(item: CodexItem, atMs: number | null): void {
    const content = readAnswer(item, this.#skipped);
    if (content !== null) return this.#grow(content, atMs);
    if (isOutput(item)) return this.#takeOutput(item, atMs);
    if (item.type === "message") return this.#takeMessage(item, atMs);
    this.#skipped.add(`item ${item.type}`);
  }

  /** A new answer begins after one that has its usage or all its results. */
  #grow(content: AssistantBlock[], atMs: number | null): void {
    const before = this.#growing;
    if (before?.isCounted || (before && before.step.events.length > 1 && before.open.size === 0))
      this.#finish();
    if (this.#growing === null) {
      const model = this.#model;
      const answer: ForeignAnswer = { type: "answer", content: [], model, usage: noUsage, atMs };
      const step = this.#begin();
      step.events.push(answer);
      this.#growing = { answer, step, open: new Set(), isCounted: false };
    }
    const { answer, open } = this.#growing;
    answer.content.push(...content);
    answer.atMs = atMs;
    for (const block of content) if (block.type === "tool_use") open.add(block.id);
  }

  #takeOutput(item: CodexItem, atMs: number | null): void {
    const call = item.call_id ?? "";
    const { content: output, isError } = readOutput(item);
    const content = contentBlocks(isRecord(output) ? jsonText(output) : output, this.#skipped);
    const result = { type: "result" as const, call, content, isError };
    if (this.#growing?.open.delete(call)) this.#growing.step.events.push({ ...result, atMs });
    else this.#add(result, atMs);
  }

  #takeMessage(item: CodexItem, atMs: number | null): void {
    // Codex's instructions to its own model would mislead another one.
    if (item.role !== "user")
      return this.#skipped.add(`messages of ${cleanLine(item.role ?? "nobody")}`);
    const event = readWords(contentBlocks(item.content, this.#skipped), marks);
    const isContext = event.type === "context";
    this.#finish(isContext && event.title === interrupted ? "interrupted" : undefined);
    if (isContext) this.#session.cwd ??= findFolder(blockText(event.content));
    else {
      this.#turns.push(this.#head);
      if (this.#turns.length > maxTurns) this.#turns.shift();
      this.#turn.isTyped = true;
      for (const summary of this.#turn.summaries) summary.trigger = "auto";
    }
    this.#add(event, atMs);
  }

  /** Events repeat the items, except for usage and rollbacks. */
  #takeEvent(event: Event, atMs: number | null): void {
    switch (event.type) {
      case "token_count":
        return this.#takeUsage(event);
      case "thread_rolled_back": {
        this.#finish();
        const undone = Math.max(0, Math.trunc(event.num_turns ?? 0));
        const turns = this.#turns.splice(Math.max(0, this.#turns.length - undone), undone);
        if (turns[0] !== undefined) this.#head = turns[0];
        return;
      }
      case "error":
        this.#add({ type: "note", kind: "error", text: event.message ?? "" }, atMs);
        return;
      case "task_started":
        if (event.turn_id !== null)
          this.#turn = { id: event.turn_id, isTyped: false, summaries: [] };
        return this.#skipped.add("event task_started");
      case "turn_aborted":
        return this.#finish("interrupted");
      case "thread_name_updated":
        this.#session.title = event.thread_name ?? this.#session.title;
        return;
      default:
        this.#skipped.add(`event ${event.type}`);
    }
  }

  /** The same count is repeated when the rate limits change. */
  #takeUsage({ info }: Event): void {
    const total = jsonText(info?.total_token_usage ?? null);
    if (info === null || total === this.#lastTotal) return;
    this.#lastTotal = total;
    if (this.#growing === null || this.#growing.isCounted) return;
    this.#growing.answer.usage = readUsage(info.last_token_usage);
    this.#growing.isCounted = true;
  }

  #compact({ message, replacement_history: history }: Compacted, atMs: number | null): void {
    const summary = message ?? "";
    if (summary.trim() === "") {
      const text =
        "Codex compacted here; its summary is encrypted, so all that came before is kept.";
      this.#add({ type: "note", kind: "info", text }, atMs);
      return;
    }
    const kept = (history ?? []).flatMap((item) => this.#keptWords(item, summary));
    const text = [...kept, summary].join("\n\n");
    // The user asked for it when nobody typed a message in the turn.
    const isManual = this.#turn.id !== "" && !this.#turn.isTyped;
    const trigger = isManual ? ("command" as const) : ("auto" as const);
    const event = this.#add<Omit<Summary, "atMs">>(
      { type: "summary", text, trigger, tokensBefore: 0 },
      atMs,
    );
    this.#turn.summaries.push(event);
  }

  /** The user's messages, which Codex keeps with a summary; the summary itself is the last of them. */
  #keptWords(item: CodexItem, summary: string): string[] {
    if (item.type !== "message" || item.role !== "user") return [];
    const event = readWords(contentBlocks(item.content, this.#skipped), marks);
    if (event.type === "context" && event.kind !== "instructions") return [];
    return event.content.flatMap((block) =>
      block.type === "text" && block.text !== summary ? [block.text] : [],
    );
  }

  /** Ends the answer; `cutOff`: why it ended early. */
  #finish(cutOff?: Stop): void {
    const { answer } = this.#growing ?? {};
    this.#growing = null;
    if (answer && !answer.content.some(({ type }) => type === "tool_use")) answer.stop = cutOff;
  }
}

/** The blocks of an answer in an item; null when the item is not part of an answer. */
function readAnswer(item: CodexItem, skipped: Skipped): AssistantBlock[] | null {
  const id = item.call_id ?? item.id ?? "";
  switch (item.type) {
    case "message":
      return item.role === "assistant" ? readTexts(item.content, skipped) : null;
    case "reasoning": {
      const parts = [item.summary, item.content].flatMap((part) => contentBlocks(part, skipped));
      const thinking = parts
        .flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join("\n\n");
      if (thinking.trim() === "") skipped.add("encrypted reasoning");
      return thinking.trim() === "" ? [] : [{ type: "thinking", thinking, signature: "" }];
    }
    case "function_call": {
      const name = item.namespace ? `${item.namespace}-${item.name ?? ""}` : (item.name ?? "");
      return [readCall(id, name, item.arguments)];
    }
    case "custom_tool_call":
      return [readCall(id, item.name ?? "", { input: item.input })];
    case "local_shell_call":
      return [readCall(id, "local_shell", item.action)];
    case "tool_search_call":
      return [readCall(id, "tool_search", item.arguments)];
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

const readTexts = (content: unknown, skipped: Skipped): AssistantBlock[] =>
  contentBlocks(content, skipped).flatMap((block) => (block.type === "text" ? [block] : []));

const isOutput = ({ type }: CodexItem): boolean =>
  type === "function_call_output" ||
  type === "custom_tool_call_output" ||
  type === "tool_search_output";

/** The output of a call: text, a list of blocks, or an object in old files. */
function readOutput(item: CodexItem): { content: unknown; isError: boolean } {
  const { output } = item;
  if (item.type === "tool_search_output") return { content: jsonText(item.tools), isError: false };
  if (!isRecord(output))
    return { content: output ?? "", isError: findTexts(output).some(isFailure) };
  const content = output["content_items"] ?? output["content"] ?? jsonText(output);
  return { content, isError: output["success"] === false };
}

const findTexts = (output: unknown): string[] =>
  (Array.isArray(output) ? output : [output]).flatMap((element: unknown) => {
    const text: unknown = isRecord(element) ? element["text"] : element;
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
function readUsage(usage: unknown): Usage {
  const cacheRead = readCount(usage, "cached_input_tokens");
  const cacheWrite = readCount(usage, "cache_write_input_tokens");
  const input = Math.max(0, readCount(usage, "input_tokens") - cacheRead - cacheWrite);
  return { input, cacheRead, cacheWrite, output: readCount(usage, "output_tokens") };
}

/** Title of the message that says that the user interrupted the turn. */
const interrupted = "interrupted";

const marks: Marks = [
  [/^<environment_context>/, "environment", "environment"],
  [
    /^(<user_instructions>|<INSTRUCTIONS>|# AGENTS\.md instructions)/,
    "instructions",
    "instructions",
  ],
  [/^<user_shell_command>/, "shell", "shell"],
  [
    /^<(subagent_notification|skill|permissions instructions|collaboration_mode)\b/,
    "reminder",
    "reminder",
  ],
  [/^<turn_aborted\b/, "reminder", interrupted],
];

/** The folder, as Codex mentions it to the model. */
function findFolder(text: string): string | null {
  const start = text.slice(0, 4_000);
  if (!start.includes("<environment_context>")) return null;
  const found = /<cwd>([^<\n]+)<\/cwd>|Current working directory: ([^\n]+)/.exec(start);
  return found?.[1] ?? found?.[2] ?? null;
}
