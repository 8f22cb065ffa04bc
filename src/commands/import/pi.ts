/**
 * Reads a session of pi (`~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`): a header, then entries.
 * Version 1 is a list; from version 2 on entries form a tree by `id` and `parentId`; version 3 renamed
 * "hookMessage" to "custom".
 */

import { z } from "zod";
import { blockText } from "../../protocol/block.ts";
import type { Stop, Usage } from "../../protocol/model.ts";
import { answerBlocks, contentBlocks } from "./blocks.ts";
import { StepIndex, type ForeignStep, type Untimed } from "./conversation.ts";
import {
  anything,
  cleanLine,
  count,
  readCount,
  flag,
  isRecord,
  maybe,
  text,
  readTime,
} from "./json.ts";
import { ForeignSession, type Reader } from "./source.ts";

const lineSchema = z.object({
  type: z.string(),
  id: text,
  parentId: text,
  timestamp: anything,
  cwd: text,
  version: count,
  message: maybe(
    z.object({
      role: z.string(),
      content: anything,
      timestamp: count,
      model: text,
      stopReason: text,
      errorMessage: text,
      usage: anything,
      toolCallId: text,
      toolName: text,
      isError: flag,
      command: text,
      output: text,
      exitCode: count,
      cancelled: flag,
      excludeFromContext: flag,
      customType: text,
    }),
  ),
  modelId: text,
  summary: text,
  firstKeptEntryId: text,
  firstKeptEntryIndex: count,
  tokensBefore: count,
  customType: text,
  content: anything,
  name: text,
  targetId: text,
  replacement: anything,
});

type PiLine = z.infer<typeof lineSchema>;
type PiMessage = NonNullable<PiLine["message"]>;

/** Our logs begin with the same type, but have `parent` and `at`. */
const isHeader = (json: unknown): boolean =>
  isRecord(json) &&
  json["type"] === "session" &&
  typeof json["id"] === "string" &&
  "timestamp" in json &&
  !("parent" in json);

export const pi: Reader = {
  /** The header, or an entry when the header is lost. */
  recognizes(json) {
    if (isHeader(json)) return true;
    if (!isRecord(json) || "payload" in json) return false;
    return json["type"] === "message" && isRecord(json["message"]) && "timestamp" in json;
  },

  read(file) {
    const session = new ForeignSession("pi", file);
    const { skipped } = session;
    const steps = new StepIndex();
    const lines = new Map<ForeignStep, PiLine>();
    let header: PiLine | null = null;
    /** Lines before the first entry: version 1 counts positions from the header. */
    let headers = 0;
    for (const json of file.lines(skipped)) {
      const line = lineSchema.safeParse(json).data;
      if (!line) skipped.add("lines without a type");
      else if (!isHeader(json)) takeEntry(line);
      else {
        if (steps.all.length === 0) headers++;
        // A fork may contain the header of the session it comes from.
        if (header) skipped.add("headers of other sessions");
        header ??= line;
      }
    }
    steps.link();
    session.id = header?.id || session.id;
    session.cwd = header?.cwd ?? null;
    for (const [step, line] of lines) {
      const atMs = readTime(line.message?.timestamp) ?? readTime(line.timestamp);
      for (const event of convertLine(line)) step.events.push({ atMs, ...event });
    }
    return { session, steps: steps.all, latest: steps.all.at(-1) ?? null };

    function takeEntry(line: PiLine): void {
      const isList = header !== null && (header.version ?? 1) < 2;
      if (line.type === "session_info") session.title = line.name ?? session.title;
      if (line.message?.role === "user" || line.message?.role === "assistant") {
        session.hasConversation = true;
        session.startedMs ??= readTime(line.message.timestamp) ?? readTime(line.timestamp);
      }
      // If the parent is missing, the entry before it takes its place, as in a list.
      const isRoot = line.parentId === null && !isList;
      const step = steps.begin(isRoot ? null : (steps.all.at(-1) ?? null));
      steps.addLine(step, line.id, isList ? null : line.parentId);
      lines.set(step, line);
    }

    function convertLine(line: PiLine): Untimed[] {
      switch (line.type) {
        case "message":
          if (line.message) return convertMessage(line.message);
          skipped.add("messages that cannot be read");
          return [];
        case "custom_message":
          return [remind(line)];
        case "model_change":
          return [{ type: "model", model: `pi: ${cleanLine(line.modelId ?? "unknown")}` }];
        case "branch_summary":
          return [context("recall", "summary of a branch", line.summary ?? "")];
        case "compaction": {
          const kept = steps.all[(line.firstKeptEntryIndex ?? -1) - headers];
          return [
            {
              type: "summary",
              text: line.summary ?? "",
              trigger: "auto",
              tokensBefore: readCount(line.tokensBefore),
              kept: steps.find(line.firstKeptEntryId) ?? kept,
            },
          ];
        }
        case "context_edit":
          return convertEdit(line);
        case "session":
        case "session_info":
          return [];
        default:
          skipped.add(line.type);
          return [];
      }
    }

    function convertMessage(message: PiMessage): Untimed[] {
      switch (message.role) {
        case "user":
          return [{ type: "user", content: contentBlocks(message.content, skipped) }];
        case "assistant":
          return convertAnswer(message);
        case "toolResult":
          return [
            {
              type: "result",
              call: message.toolCallId ?? "",
              content: contentBlocks(message.content, skipped),
              isError: message.isError === true,
              tool: cleanLine(message.toolName ?? "unknown"),
            },
          ];
        case "bashExecution":
          return [convertShell(message)];
        case "custom":
        case "hookMessage":
          return [remind(message)];
        default:
          skipped.add(`messages of ${message.role}`);
          return [];
      }
    }

    function remind({ customType, content }: PiLine | PiMessage): Untimed {
      const title = cleanLine(customType ?? "") || "reminder";
      return { type: "context", kind: "reminder", title, content: contentBlocks(content, skipped) };
    }

    function convertAnswer({ content, model, usage, ...message }: PiMessage): Untimed[] {
      const stop = stops.get(message.stopReason);
      const blocks = answerBlocks(content, skipped);
      const answer = { type: "answer" as const, content: blocks, model, usage: readUsage(usage) };
      const error = message.errorMessage;
      return [
        { ...answer, stop },
        ...(error === null ? [] : [{ type: "note" as const, kind: "error" as const, text: error }]),
      ];
    }

    /** Only results can be replaced here; an edit of text is skipped. */
    function convertEdit({ targetId, replacement }: PiLine): Untimed[] {
      const target = steps.find(targetId);
      const call = target && lines.get(target)?.message?.toolCallId;
      if (typeof call !== "string") {
        skipped.add("context_edit of text");
        return [];
      }
      const content = isRecord(replacement) ? replacement["content"] : [];
      const shown = blockText(contentBlocks(content, skipped)).trim();
      const text = shown || "[pi took this result out of the context.]";
      const reason = "pi replaced a result here.";
      return [{ type: "cleared", calls: [call], text, reason, tokens: [0, 0] }];
    }
  },
};

const context = (kind: "recall" | "shell", title: string, text: string): Untimed => ({
  type: "context",
  kind,
  title,
  content: [{ type: "text", text: text.toWellFormed() }],
});

/** A command that the user ran; with `!!` it was not shown to the model. */
function convertShell(message: PiMessage): Untimed {
  const { cancelled, exitCode, command, output } = message;
  const ended = cancelled === true ? "\n(cancelled)" : exitCode ? `\n(exit code ${exitCode})` : "";
  const text = `$ ${command ?? ""}\n${output ?? ""}${ended}`;
  return message.excludeFromContext === true
    ? { type: "note", kind: "info", text }
    : context("shell", cleanLine(command ?? "shell"), text);
}

const stops = new Map<string | null, Stop>([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["toolUse", "tool_use"],
  ["error", "failed"],
  ["aborted", "interrupted"],
]);

const readUsage = (usage: unknown): Usage => ({
  input: readCount(usage, "input"),
  cacheRead: readCount(usage, "cacheRead"),
  cacheWrite: readCount(usage, "cacheWrite"),
  output: readCount(usage, "output"),
});
