/**
 * Reads a session of pi (`~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`): a header, then entries,
 * which form a tree by `id` and `parentId`.
 */

import { z } from "zod";
import { isRecord } from "../../base/guards.ts";
import { blockText } from "../../protocol/block.ts";
import type { Stop } from "../../protocol/model.ts";
import { answerBlocks, contentBlocks } from "./blocks.ts";
import { anything, cleanLine, count, flag, maybe, readCount, readTime, text } from "./json.ts";
import type { Reader, Untimed } from "./source.ts";

const lineSchema = z.object({
  type: z.string(),
  id: text,
  parentId: text,
  timestamp: anything,
  cwd: text,
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
  agent: "pi",
  /** The header, or an entry when the header is lost. */
  recognizes(json) {
    if (isHeader(json)) return true;
    if (!isRecord(json) || "payload" in json) return false;
    return json["type"] === "message" && isRecord(json["message"]) && "timestamp" in json;
  },

  read(file, session) {
    const { steps, skipped } = session;
    /** By the id of a result's entry, the call that it answers. */
    const calls = new Map<string | null, string>();
    let hasHeader = false;
    for (const json of file.lines(skipped)) {
      const line = lineSchema.safeParse(json).data;
      if (!line) skipped.add("lines without a type");
      else if (!isHeader(json)) takeEntry(line);
      // A fork may contain the header of the session it comes from.
      else if (hasHeader) skipped.add("headers of other sessions");
      else {
        hasHeader = true;
        session.id = line.id || session.id;
        session.cwd = line.cwd;
      }
    }
    session.latest = steps.at(-1) ?? null;

    function takeEntry(line: PiLine): void {
      if (line.type === "session_info") session.title = line.name ?? session.title;
      // If the parent is missing, the entry before it takes its place.
      const before = line.parentId === null ? null : (steps.at(-1) ?? null);
      const step = session.begin(session.find(line.parentId) ?? before);
      const { message, timestamp } = line;
      if (message?.toolCallId) calls.set(line.id, message.toolCallId);
      const atMs = readTime(message?.timestamp) ?? readTime(timestamp);
      step.events.push(...convertLine(line).map((event) => ({ atMs, ...event })));
      session.name(step, line.id);
    }

    function convertLine(line: PiLine): Untimed[] {
      const { message, summary, modelId } = line;
      switch (line.type) {
        case "message":
          if (message) return convertMessage(message);
          skipped.add("messages that cannot be read");
          return [];
        case "custom_message":
          return [remind(line)];
        case "model_change":
          return [{ type: "model", model: `pi: ${cleanLine(modelId ?? "unknown")}` }];
        case "branch_summary":
          return [context("recall", "summary of a branch", summary ?? "")];
        case "compaction": {
          const kept = session.find(line.firstKeptEntryId);
          const tokensBefore = readCount(line, "tokensBefore");
          return [{ type: "summary", text: summary ?? "", trigger: "auto", tokensBefore, kept }];
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

    function convertAnswer({
      model,
      usage,
      errorMessage: error,
      ...message
    }: PiMessage): Untimed[] {
      const counts = {
        input: readCount(usage, "input"),
        cacheRead: readCount(usage, "cacheRead"),
        cacheWrite: readCount(usage, "cacheWrite"),
        output: readCount(usage, "output"),
      };
      const content = answerBlocks(message.content, skipped);
      return [
        { type: "answer", content, model, usage: counts, stop: stops.get(message.stopReason) },
        ...(error === null ? [] : [{ type: "note" as const, kind: "error" as const, text: error }]),
      ];
    }

    /** Only results can be replaced here; an edit of text is skipped. */
    function convertEdit({ targetId, replacement }: PiLine): Untimed[] {
      const call = calls.get(targetId);
      if (call === undefined) {
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
  content: [{ type: "text", text }],
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
