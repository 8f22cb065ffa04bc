/** Reads a session of Codex: its own file, and those of the threads that it continues. */

import { terminalLine } from "../../base/escape-terminal.ts";
import { isRecord } from "../../base/guards.ts";
import type { AssistantBlock } from "../../protocol/block.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Usage } from "../../protocol/model.ts";
import { addWords, answerBlocks, contentBlocks, findMark, type Marks } from "./blocks.ts";
import { findThread, findTitle, parseLine, type CodexItem, type CodexLine } from "./codex-files.ts";
import { readCount, readTime, SourceFile } from "./source.ts";
import type { Transcript } from "./transcript.ts";

const lineTypes = ["session_meta", "turn_context", "response_item", "event_msg", "compacted"];

/** Whether only Codex writes such a line. */
export const isCodex = (json: unknown): boolean =>
  isRecord(json) && isRecord(json["payload"]) && lineTypes.includes(String(json["type"]));

export function readCodex(file: SourceFile, session: Transcript): void {
  const { segments, missing } = findThread(file.path);
  if (missing !== null) {
    const text = `The beginning is in thread ${terminalLine(missing, 80)}, whose file was not found.`;
    session.note("info", text, null);
  }
  const rollout = new Rollout(session);
  session.bytes = 0;
  for (const { path, end } of segments) {
    const source = path === file.path ? file : new SourceFile(path);
    session.bytes += source.bytes;
    rollout.takeFile(source, end);
  }
  session.title = findTitle(file.path, session.id);
}

type Payload = CodexLine["payload"];

/** Takes a thread line by line. */
class Rollout {
  readonly #session: Transcript;
  /** The latest answer until its usage is known. */
  #answer: EntryOf<"assistant"> | null = null;
  #model = "unknown";
  #lastTotal = "";

  constructor(session: Transcript) {
    this.#session = session;
  }

  /** Lines from the ordinal `end` on were left by a rewind or a fork. */
  takeFile(file: SourceFile, end: number): void {
    const session = this.#session;
    let hasHeader = false;
    for (const json of file.lines()) {
      const line = parseLine(json);
      if (line && (line.ordinal ?? 0) >= end) break;
      if (line?.type === "session_meta") {
        // A fork has the header of the session it comes from after its own.
        if (!hasHeader) this.#takeHeader(line.payload);
        hasHeader = true;
      } else if (!line || !this.#take(line, readTime(line.timestamp))) session.skipped += 1;
    }
    this.#answer = null;
  }

  #takeHeader({ id, cwd, thread_source }: Payload): void {
    const session = this.#session;
    session.id = id || session.id;
    session.cwd = cwd ?? session.cwd;
    session.isSubagent = thread_source === "subagent";
  }

  /** False when the line has no counterpart here. */
  #take({ type, payload }: CodexLine, atMs: number | null): boolean {
    switch (type) {
      case "turn_context":
        this.#session.cwd ??= payload.cwd;
        this.#model = payload.model ?? this.#model;
        return true;
      case "response_item":
        return this.#takeItem(payload, atMs);
      case "compacted":
        this.#compact(payload, atMs);
        return true;
      case "event_msg":
        return this.#takeEvent(payload, atMs);
      default:
        return false;
    }
  }

  #takeItem(item: CodexItem, atMs: number | null): boolean {
    const session = this.#session;
    const content = readAnswer(item);
    if (content !== null) this.#grow(content, atMs);
    else if (item.type?.endsWith("_output")) {
      const output = contentBlocks(item.output);
      session.result(item.call_id ?? "", output, output.some(isFailure), atMs);
    } else if (item.type === "message" && item.role === "user")
      addWords(session, contentBlocks(item.content), marks, atMs);
    // Codex's instructions to its own model would mislead another one.
    else return false;
    return true;
  }

  /** Each item of an answer is a line. */
  #grow(content: AssistantBlock[], atMs: number | null): void {
    const answer = this.#answer;
    if (answer && answer === this.#session.entries.at(-1))
      this.#session.extend(answer, content, atMs);
    else this.#answer = this.#session.answer(this.#model, content, atMs) ?? answer;
  }

  /** Events repeat the items, except for usage and errors. */
  #takeEvent(event: Payload, atMs: number | null): boolean {
    switch (event.type) {
      case "token_count":
        this.#takeUsage(event.info);
        return true;
      case "error":
        this.#session.note("error", event.message ?? "", atMs);
        return true;
      default:
        return event.type === "turn_aborted";
    }
  }

  /** The same count is repeated when the rate limits change. */
  #takeUsage(info: Payload["info"]): void {
    const total = JSON.stringify(info?.total_token_usage ?? null);
    if (info === null || total === this.#lastTotal) return;
    this.#lastTotal = total;
    if (this.#answer) this.#answer.usage = readUsage(info.last_token_usage);
    this.#answer = null;
  }

  #compact({ message, replacement_history: history }: Payload, atMs: number | null): void {
    const summary = message ?? "";
    const kept = (history ?? []).flatMap((item) => keptWords(item, summary));
    const text = "Codex compacted here; its summary is encrypted, so all that came before is kept.";
    if (summary.trim() === "") this.#session.note("info", text, atMs);
    else this.#session.summary([...kept, summary].join("\n\n"), atMs, { trigger: "auto" });
  }
}

/** The user's messages, which Codex keeps with a summary; the summary itself is the last of them. */
function keptWords(item: CodexItem, summary: string): string[] {
  if (item.type !== "message" || item.role !== "user") return [];
  const content = contentBlocks(item.content);
  const mark = findMark(content, marks);
  if (mark && mark.kind !== "instructions") return [];
  return content.flatMap((block) =>
    block.type === "text" && block.text !== summary ? [block.text] : [],
  );
}

/** The blocks of an answer in an item; null when the item is not part of an answer. */
function readAnswer(item: CodexItem): AssistantBlock[] | null {
  if (item.type === "message" && item.role === "assistant") return answerBlocks(item.content);
  if (item.type?.endsWith("_call")) return answerBlocks([item]);
  if (item.type !== "reasoning") return null;
  const parts = [item.summary, item.content].flatMap(contentBlocks);
  const thinking = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return thinking.trim() === "" ? [] : [{ type: "thinking", thinking, signature: "" }];
}

/** Codex writes how a command ended before its output, or as a field of JSON. */
function isFailure(block: { type: string; text?: string }): boolean {
  const [head = ""] = (block.text ?? "").slice(0, 500).split(/^Output:/m, 1);
  const field = /^\{.*?"(?:exit_code":|output":"Exit code: )(?!0\b)/;
  return /^Process exited with code (?!0$)/m.test(head) || field.test(head);
}

/** Codex includes tokens of the cache in the input. */
function readUsage(usage: unknown): Usage {
  const cacheRead = readCount(usage, "cached_input_tokens");
  const cacheWrite = readCount(usage, "cache_write_input_tokens");
  const input = Math.max(0, readCount(usage, "input_tokens") - cacheRead - cacheWrite);
  return { input, cacheRead, cacheWrite, output: readCount(usage, "output_tokens") };
}

const marks: Marks = [
  [/^<environment_context>/, "environment", "environment"],
  [/^(<user_instructions>|<INSTRUCTIONS>|# AGENTS\.md)/, "instructions", "instructions"],
  [/^<user_shell_command>/, "shell", "shell"],
  [/^<(subagent_|skill|permissions|collaboration_mode)/, "reminder", "reminder"],
  [/^<turn_aborted\b/, "reminder", "interrupted"],
];
