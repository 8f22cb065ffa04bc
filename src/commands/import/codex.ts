/** Reads a session of Codex: its own file, and those of the threads that it continues. */

import { terminalLine } from "../../base/escape-terminal.ts";
import { isRecord } from "../../base/guards.ts";
import type { AssistantBlock } from "../../protocol/block.ts";
import { noUsage, type Usage } from "../../protocol/model.ts";
import { answerBlocks, contentBlocks, readWords, type Marks } from "./blocks.ts";
import {
  findThread,
  findTitle,
  isCodexLine,
  parseLine,
  type CodexItem,
  type CodexLine,
} from "./codex-files.ts";
import { readCount, readTime } from "./json.ts";
import {
  SourceFile,
  type Conversation,
  type ForeignEvent,
  type Reader,
  type Untimed,
} from "./source.ts";

export const codex: Reader = {
  agent: "Codex",
  recognizes: isCodexLine,
  read(file, session) {
    const { segments, missing } = findThread(file.path);
    const rollout = new Rollout(session);
    if (missing !== null) {
      const text = `The beginning is in thread ${terminalLine(missing, 80)}, whose file was not found.`;
      rollout.add({ type: "note", kind: "info", text }, null);
    }
    session.bytes = 0;
    for (const segment of segments) {
      const source = segment.path === file.path ? file : new SourceFile(segment.path);
      session.bytes += source.bytes;
      rollout.takeFile(source, segment.end);
    }
    session.title = findTitle(file.path, session.id);
  },
};

type Payload = CodexLine["payload"];

/** Takes a thread line by line. */
class Rollout {
  readonly #session: Conversation;
  /** The latest answer until its usage is known, and whether it may still grow: an item is a line. */
  #answer: Extract<ForeignEvent, { type: "answer" }> | null = null;
  #grows = false;
  #model = "unknown";
  #lastTotal = "";

  constructor(session: Conversation) {
    this.#session = session;
  }

  /** Lines from the ordinal `end` on were left by a rewind or a fork. */
  takeFile(file: SourceFile, end: number): void {
    const session = this.#session;
    let hasHeader = false;
    for (const json of file.lines()) {
      const line = parseLine(json);
      if (!line) {
        session.skipped += 1;
        continue;
      }
      const { type, payload } = line;
      if ((line.ordinal ?? 0) >= end) break;
      if (type !== "session_meta") this.#take(line, readTime(line.timestamp));
      else if (!hasHeader) {
        // A fork has the header of the session it comes from after its own.
        session.id = payload.id || payload.session_id || session.id;
        hasHeader = Boolean(payload.id || payload.session_id);
        session.cwd = payload.cwd ?? session.cwd;
        session.isSubagent =
          payload.thread_source === "subagent" ||
          (isRecord(payload.source) && "subagent" in payload.source);
      }
    }
    this.#grows = false;
  }

  add(event: Untimed, atMs: number | null): void {
    this.#grows = false;
    this.#session.events.push({ ...event, atMs });
  }

  #take({ type, payload }: CodexLine, atMs: number | null): void {
    switch (type) {
      case "turn_context":
        this.#session.cwd ??= payload.cwd;
        this.#model = terminalLine(payload.model ?? this.#model, 80);
        return;
      case "response_item":
        return this.#takeItem(payload, atMs);
      case "compacted":
        return this.#compact(payload, atMs);
      case "event_msg":
        return this.#takeEvent(payload, atMs);
      default:
        this.#session.skipped += 1;
    }
  }

  #takeItem(item: CodexItem, atMs: number | null): void {
    const content = readAnswer(item);
    if (content !== null) return this.#grow(content, atMs);
    if (item.type?.endsWith("_output")) return this.#takeOutput(item, atMs);
    // Codex's instructions to its own model would mislead another one.
    if (item.type === "message" && item.role === "user")
      this.add(readWords(contentBlocks(item.content), marks), atMs);
    else this.#session.skipped += 1;
  }

  #grow(content: AssistantBlock[], atMs: number | null): void {
    let answer = this.#grows ? this.#answer : null;
    if (answer === null) {
      answer = { type: "answer", content: [], model: this.#model, usage: noUsage, atMs };
      this.#session.events.push(answer);
      this.#answer = answer;
      this.#grows = true;
    }
    answer.content.push(...content);
    answer.atMs = atMs;
  }

  #takeOutput({ call_id, output }: CodexItem, atMs: number | null): void {
    const content = contentBlocks(output);
    const isError = content.some(isFailure);
    this.add({ type: "result", call: call_id ?? "", content, isError }, atMs);
  }

  /** Events repeat the items, except for usage, errors and the title. */
  #takeEvent(event: Payload, atMs: number | null): void {
    switch (event.type) {
      case "token_count":
        return this.#takeUsage(event.info);
      case "error":
        return this.add({ type: "note", kind: "error", text: event.message ?? "" }, atMs);
      case "turn_aborted":
        this.#grows = false;
        return;
      default:
        this.#session.skipped += 1;
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
    if (summary.trim() === "") {
      const text =
        "Codex compacted here; its summary is encrypted, so all that came before is kept.";
      return this.add({ type: "note", kind: "info", text }, atMs);
    }
    const kept = (history ?? []).flatMap((item) => this.#keptWords(item, summary));
    const text = [...kept, summary].join("\n\n");
    this.add({ type: "summary", text, trigger: "auto", tokensBefore: 0 }, atMs);
  }

  /** The user's messages, which Codex keeps with a summary; the summary itself is the last of them. */
  #keptWords(item: CodexItem, summary: string): string[] {
    if (item.type !== "message" || item.role !== "user") return [];
    const event = readWords(contentBlocks(item.content), marks);
    if (event.type === "context" && event.kind !== "instructions") return [];
    return event.content.flatMap((block) =>
      block.type === "text" && block.text !== summary ? [block.text] : [],
    );
  }
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
  [/^<turn_aborted\b/, "reminder", "interrupted"],
];
