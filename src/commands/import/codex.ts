/**
 * Reads a session of Codex (`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`). After a rewind
 * Codex continues in a second file, and a fork holds only what is new; both name what comes before by
 * a thread and a position in it, the lines' `ordinal`.
 */

import { basename, join } from "node:path";
import { z } from "zod";
import { terminalLine } from "../../base/escape-terminal.ts";
import { attempt, isRecord } from "../../base/guards.ts";
import type { AssistantBlock } from "../../protocol/block.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Usage } from "../../protocol/model.ts";
import { addWords, answerBlocks, contentBlocks, findMark, type Marks } from "./blocks.ts";
import { anything, count, findSourceFiles, maybe, openSource, text } from "./source.ts";
import { readCount, readTime, type SourceFile } from "./source.ts";
import type { Transcript } from "./transcript.ts";

const payloadSchema = z.looseObject({
  type: text,
  role: text,
  content: anything,
  summary: anything,
  id: text,
  call_id: text,
  output: anything,
  cwd: text,
  thread_source: text,
  history_base: maybe(z.object({ thread_id: z.string(), end_ordinal_exclusive: z.number() })),
  model: text,
  info: maybe(z.object({ last_token_usage: anything, total_token_usage: anything })),
  message: text,
  replacement_history: maybe(z.array(z.unknown())),
});

/** An item of a conversation, an event, or a header. */
type Payload = z.infer<typeof payloadSchema>;

const parsePayload = (json: unknown): Payload | undefined => payloadSchema.safeParse(json).data;

const lineSchema = z.object({
  timestamp: anything,
  /** Counts the lines of a thread, over all its files. */
  ordinal: count,
  type: z.string(),
  payload: payloadSchema,
});

type CodexLine = z.infer<typeof lineSchema>;

/** Undefined when Codex does not write such lines. */
const parseLine = (json: unknown): CodexLine | undefined => lineSchema.safeParse(json).data;

const lineTypes = ["session_meta", "turn_context", "response_item", "event_msg", "compacted"];

/** Whether only Codex writes such a line. */
export const isCodex = (json: unknown): boolean =>
  isRecord(json) && isRecord(json["payload"]) && lineTypes.includes(String(json["type"]));

export function readCodex(file: SourceFile, session: Transcript): void {
  /** The latest answer until its usage is known. */
  let answer: EntryOf<"assistant"> | null = null;
  let model = "unknown";
  let lastTotal = "";
  session.bytes = 0;
  for (const { path, end } of findThread(file.path)) {
    const source = path === file.path ? file : openSource(path);
    session.bytes += source.bytes;
    takeFile(source, end);
  }
  session.title = findTitle(file.path, session.id);

  /** Lines from the ordinal `end` on were left by a rewind or a fork. */
  function takeFile(source: SourceFile, end: number): void {
    let hasHeader = false;
    for (const json of source.lines()) {
      const line = parseLine(json);
      if (line && (line.ordinal ?? 0) >= end) break;
      const atMs = readTime(line?.timestamp);
      if (line?.type === "session_meta") {
        // A fork has the header of the session it comes from after its own.
        if (!hasHeader) takeHeader(line.payload, atMs);
        hasHeader = true;
      } else if (!line || !take(line, atMs)) session.skipped += 1;
    }
    answer = null;
  }

  function takeHeader(header: Payload, atMs: number | null): void {
    const base = header.history_base && terminalLine(header.history_base.thread_id, 80);
    const text = `The beginning is in thread ${base}, whose file was not found.`;
    if (base !== null && session.entries.length === 0) session.note("info", text, atMs);
    session.id = header.id || session.id;
    session.cwd = header.cwd ?? session.cwd;
    session.isSubagent = header.thread_source === "subagent";
  }

  /** False when the line has no counterpart here. */
  function take({ type, payload }: CodexLine, atMs: number | null): boolean {
    if (type === "response_item") return takeItem(payload, atMs);
    if (type === "event_msg") return takeEvent(payload, atMs);
    if (type === "compacted") compact(payload, atMs);
    else if (type === "turn_context") model = payload.model ?? model;
    else return false;
    return true;
  }

  function takeItem(item: Payload, atMs: number | null): boolean {
    const content = readAnswer(item);
    if (content !== null) {
      // Each item of an answer is a line.
      if (answer && answer === session.entries.at(-1)) session.extend(answer, content, atMs);
      else answer = session.answer(model, content, atMs) ?? answer;
    } else if (item.type?.endsWith("_output")) {
      const output = contentBlocks(item.output);
      session.result(item.call_id ?? "", output, output.some(isFailure), atMs);
    } else if (isOfUser(item)) addWords(session, contentBlocks(item.content), marks, atMs);
    // Codex's instructions to its own model would mislead another one.
    else return false;
    return true;
  }

  /** Events repeat the items, except for usage and errors. */
  function takeEvent({ type, info, message }: Payload, atMs: number | null): boolean {
    if (type === "error") session.note("error", message ?? "", atMs);
    if (type !== "token_count") return type === "error" || type === "turn_aborted";
    // The same count is repeated when the rate limits change.
    const total = JSON.stringify(info?.total_token_usage ?? null);
    if (info === null || total === lastTotal) return true;
    lastTotal = total;
    if (answer) answer.usage = readUsage(info.last_token_usage);
    answer = null;
    return true;
  }

  function compact({ message, replacement_history: history }: Payload, atMs: number | null): void {
    const summary = message ?? "";
    const kept = (history ?? []).flatMap((item) => keptWords(item, summary));
    const text = "Codex compacted here; its summary is encrypted, so all that came before is kept.";
    if (summary.trim() === "") session.note("info", text, atMs);
    else session.summary([...kept, summary].join("\n\n"), atMs, { trigger: "auto" });
  }
}

const roots = ["sessions", "archived_sessions"];

/** The folder of all of Codex's files; null when this file is elsewhere. */
const findHome = (path: string): string | null =>
  /^(.*)\/(?:archived_)?sessions\//.exec(path)?.[1] ?? null;

/**
 * The files of the conversation that a file belongs to, up to the latest one. The lines of each count
 * up to the ordinal `end`.
 */
function findThread(path: string): { path: string; end: number }[] {
  const home = findHome(path);
  const files = home === null ? [] : roots.flatMap((root) => findSourceFiles(join(home, root)));
  // Their names begin with the time.
  files.sort((a, b) => (basename(a) < basename(b) ? -1 : 1));
  const listThread = (id: string): Header[] =>
    files
      .filter((file) => basename(file).includes(id))
      .flatMap((file) => readHeader(file) ?? [])
      .filter((header) => header.id === id);
  const own = readHeader(path);
  let at = (own && listThread(own.id).at(-1)) ?? own;
  const segments = [{ path: at?.path ?? path, end: Infinity }];
  while (at?.history_base) {
    const { thread_id: id, end_ordinal_exclusive: end } = at.history_base;
    const name = basename(at.path);
    // The file that was being written when this one left the thread.
    at =
      listThread(id).findLast((header) => header.ordinal < end && basename(header.path) < name) ??
      null;
    if (at) segments.unshift({ path: at.path, end });
  }
  return segments;
}

type Header = Pick<Payload, "history_base"> & { path: string; id: string; ordinal: number };

/** Null also for a file that cannot be read, as if it were not there. */
function readHeader(path: string): Header | null {
  const line = parseLine(attempt(() => openSource(path).lines().next().value, null));
  if (line?.type !== "session_meta" || line.payload.id === null) return null;
  const { id, history_base } = line.payload;
  return { path, id, ordinal: line.ordinal ?? 0, history_base };
}

/** The title in Codex's index of sessions; null when it has none. */
function findTitle(path: string, id: string): string | null {
  const index = join(findHome(path) ?? "", "session_index.jsonl");
  const names = attempt(() => [...openSource(index).lines()].filter(isRecord), []);
  const title = names.findLast((name) => name["id"] === id)?.["thread_name"];
  return typeof title === "string" ? title : null;
}

const isOfUser = ({ type, role }: Payload): boolean => type === "message" && role === "user";

/** The user's messages, which Codex keeps with a summary; the summary itself is the last of them. */
function keptWords(json: unknown, summary: string): string[] {
  const item = parsePayload(json);
  if (!item || !isOfUser(item)) return [];
  const content = contentBlocks(item.content);
  const mark = findMark(content, marks);
  if (mark && mark.kind !== "instructions") return [];
  return content.flatMap((block) =>
    block.type === "text" && block.text !== summary ? [block.text] : [],
  );
}

/** The blocks of an answer in an item; null when the item is not part of an answer. */
function readAnswer(item: Payload): AssistantBlock[] | null {
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
