/** A session of another agent as our entries, in the order in which its reader finds them. */

import { basename } from "node:path";
import { countLines, takeStart } from "../../base/clip.ts";
import { terminalLine } from "../../base/escape-terminal.ts";
import {
  blockText,
  findFilePath,
  type AssistantBlock,
  type ResultBlock,
  type ToolUseBlock,
  type UserBlock,
} from "../../protocol/block.ts";
import type {
  ContextFact,
  Entry,
  EntryOf,
  Fact,
  FileStamp,
  NoteFact,
  ResultFact,
  Trigger,
} from "../../protocol/entry.ts";
import { noUsage, type Usage } from "../../protocol/model.ts";
import { ourCall } from "./our-call.ts";
import type { SourceFile } from "./source.ts";

/** Milliseconds since the epoch; null: the time of the entry before. */
type Time = number | null;

type SummaryFacts = {
  trigger: Trigger;
  preTokens?: number | null;
  postTokens?: number | null;
  /** Entries; absent: all. */
  covered?: number | undefined;
};

/**
 * Filled while a file is read. Its entries make a valid request, regardless of their order in the file.
 * It begins with a user message, call ids are valid, and a cut never separates a call from
 * its result.
 */
export class Transcript {
  readonly agent: string;
  /** The session's id, else the file's name. Never part of a path. */
  id: string;
  cwd: string | null = null;
  /** Given by the user or the agent. */
  title: string | null = null;
  /** The conversation of a subagent. */
  isSubagent = false;
  /** Bytes of the file, or of all files of the conversation. */
  bytes: number;
  /** Lines without a counterpart here. */
  skipped = 0;
  /** One path, from the entry after the session entry. */
  readonly entries: Entry[] = [];
  /** The number of entries that summaries cover. */
  #covered = 0;
  #model = "";
  /** Time of the previous entry. */
  #atMs: number;
  /** The latest call of each id in the file: a result with this id belongs to it. */
  readonly #calls = new Map<string, ToolUseBlock>();

  constructor(agent: string, file: SourceFile) {
    this.agent = agent;
    this.id = basename(file.path);
    this.bytes = file.bytes;
    this.#atMs = file.changedMs;
  }

  user(content: UserBlock[], atMs: Time): void {
    if (content.some(hasContent)) this.add({ type: "user", content }, atMs);
  }

  context(kind: ContextFact["kind"], title: string, content: UserBlock[], atMs: Time): void {
    if (content.some(hasContent)) this.add({ type: "context", kind, title, content }, atMs);
  }

  note(kind: NoteFact["kind"], text: string, atMs: Time): void {
    this.add({ type: "note", kind, text: takeStart(text, 10_000) }, atMs);
  }

  /** Begins an answer. Null when it has no content. */
  answer(theirs: string, content: AssistantBlock[], atMs: Time, usage: Usage = noUsage) {
    if (content.length === 0) return null;
    const model = terminalLine(theirs, 80);
    const named = `${this.agent}: ${model}`;
    this.#open();
    if (this.#model !== named) this.add({ type: "model", model: named }, null);
    // The time of the request is not recorded; the time of the entry before stands in.
    const sentAt = new Date(this.#atMs).toISOString();
    const entry = this.add(
      { type: "assistant", content: [], model, usage, stop: "end_turn", sentAt },
      atMs,
    );
    this.extend(entry, content, atMs);
    return entry;
  }

  /** Adds blocks to the latest entry, an answer. */
  extend(answer: EntryOf<"assistant">, content: AssistantBlock[], atMs: Time): void {
    answer.at = this.#passTime(atMs);
    for (const block of content) {
      answer.content.push(block.type === "tool_use" ? this.#call(block) : block);
      if (block.type === "tool_use") answer.stop = "tool_use";
    }
  }

  /** `call`: the id in the file. */
  result(call: string, content: ResultBlock[], isError: boolean, atMs: Time): void {
    const known = this.#calls.get(call);
    const text = blockText(content);
    const stamps = known && !isError ? stampFiles(known) : [];
    const result: ResultFact = {
      type: "result",
      toolUse: known?.id ?? takeStart(call, 64),
      tool: known?.name ?? "unknown",
      content,
      bytes: Buffer.byteLength(text),
      lines: countLines(text),
    };
    if (isError) result.isError = true;
    if (stamps.length > 0) result.stamps = stamps;
    this.#open();
    this.add(result, atMs);
  }

  /**
   * A summary that replaced the first `covered` entries, and no fewer than an earlier one did, as a cut
   * that can be undone.
   */
  summary(text: string, atMs: Time, about: SummaryFacts): void {
    if (text.trim() === "") return;
    const { trigger, preTokens, postTokens, covered = Infinity } = about;
    const count = this.entries.length;
    const end = covered < this.#covered ? count : Math.min(covered, count);
    const [first, last] = [this.entries[0], this.entries[end - 1]];
    if (!first || !last) return this.context("recall", "summary", [{ type: "text", text }], atMs);
    this.#covered = end;
    const price = {
      usedBefore: Math.max(0, preTokens ?? 0),
      usedAfter: Math.max(0, postTokens ?? Math.ceil(text.length / 4)),
      cachedBroken: 0,
      usd: 0,
      breakEvenCalls: null,
    };
    this.add(
      {
        type: "cut",
        tier: "summary",
        trigger,
        reason: `${this.agent} compacted the conversation here.`,
        changes: [{ kind: "cover", span: { from: first.id, to: last.id }, text }],
        price,
        summary: { by: "model", messages: end, instructionsPutBack: [], losses: [] },
      },
      atMs,
    );
  }

  add<T extends Fact>(fact: T, atMs: Time) {
    const place = { id: `e${this.entries.length + 2}`, parent: `e${this.entries.length + 1}` };
    const entry = { ...place, at: this.#passTime(atMs), ...fact };
    this.entries.push(entry);
    if (fact.type === "model") this.#model = fact.model;
    return entry;
  }

  #passTime(atMs: Time): string {
    this.#atMs = atMs ?? this.#atMs;
    return new Date(this.#atMs).toISOString();
  }

  /** The API requires a user message first, but a file may begin in the middle. */
  #open(): void {
    if (this.entries.some(({ type }) => ["user", "context", "cut"].includes(type))) return;
    const text = "The beginning of this conversation is missing from the imported file.";
    this.context("reminder", "beginning", [{ type: "text", text }], null);
  }

  /**
   * The call under our names, with a name and an id that the API accepts: letters, digits, `_` and `-`.
   * The files of other agents contain ids of other services. The view tells equal ids apart.
   */
  #call(theirs: ToolUseBlock): ToolUseBlock {
    const { name: tool, input } = ourCall(theirs);
    const name = tool.slice(0, 64).replace(/[^\w-]/g, "_") || "unknown";
    const id = /^[\w-]{1,64}$/.test(theirs.id) ? theirs.id : `call-${this.#calls.size + 1}`;
    const call: ToolUseBlock = { type: "tool_use", id, name, input };
    this.#calls.set(theirs.id, call);
    return call;
  }
}

const hasContent = (block: UserBlock): boolean => block.type !== "text" || block.text.trim() !== "";

/**
 * The file that a call of our tools shows or writes. Its content was not recorded, so the hash is
 * empty and matches nothing: the file must be read again before it can be edited.
 */
export function stampFiles({ name, input }: Pick<ToolUseBlock, "name" | "input">): FileStamp[] {
  const path = findFilePath(input);
  if (path === null) return [];
  const unknown = { path, hash: "", bytes: 0 };
  if (name === "Edit" || name === "Write") return [{ ...unknown, does: "write" }];
  if (name !== "Read") return [];
  const { offset: first = 1, limit = 2_000 } = input;
  const isPart = "offset" in input || "limit" in input;
  return isPart && typeof first === "number" && typeof limit === "number"
    ? [{ ...unknown, does: "read", lines: [first, first + limit - 1] }]
    : [{ ...unknown, does: "read" }];
}
