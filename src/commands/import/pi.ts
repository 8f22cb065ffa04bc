/**
 * Reads a session of pi (`~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`): a header, then entries.
 * Version 1 is a list; from version 2 on entries form a tree by `id` and `parentId`; version 3 renamed
 * "hookMessage" to "custom".
 */

import { z } from "zod";
import { textOf } from "../../protocol/block.ts";
import type { Stop, Usage } from "../../protocol/model.ts";
import { answerBlocks, contentBlocks } from "./blocks.ts";
import type { EntryWriter } from "./entry-writer.ts";
import {
  anything,
  cleanLine,
  count,
  countOf,
  flag,
  isRecord,
  maybe,
  text,
  timeOf,
} from "./json.ts";
import { ForeignSession, type Reader } from "./source.ts";
import { convertBranches, Steps, type FindOrigin, type Step } from "./tree.ts";

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
    const steps = new Steps<PiLine>();
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
    /** The first step that a compaction kept. */
    const findKept = (line: PiLine): Step<PiLine> | undefined =>
      steps.find(line.firstKeptEntryId) ?? steps.all[(line.firstKeptEntryIndex ?? -1) - headers];
    return { session, convert: (writer) => convert(steps, findKept, writer) };

    function takeEntry(line: PiLine): void {
      const isList = header !== null && (header.version ?? 1) < 2;
      if (line.type === "session_info") session.title = line.name ?? session.title;
      if (line.message?.role === "user" || line.message?.role === "assistant") {
        session.hasConversation = true;
        session.startedMs ??= timeOf(line.message.timestamp) ?? timeOf(line.timestamp);
      }
      // If the parent is missing, the entry before it takes its place, as in a list.
      const isRoot = line.parentId === null && !isList;
      const step = steps.begin(isRoot ? null : (steps.all.at(-1) ?? null));
      steps.addLine(step, line, line.id, isList ? null : line.parentId);
    }
  },
};

/** Writes the entries of every branch. */
function convert(
  steps: Steps<PiLine>,
  findKept: (line: PiLine) => Step<PiLine> | undefined,
  writer: EntryWriter,
): void {
  const { skipped } = writer;
  let findOrigin: FindOrigin<PiLine> = () => null;
  convertBranches(steps.all, steps.all.at(-1) ?? null, writer, (_, find) => {
    findOrigin = find;
    return ({ lines }) => lines.forEach(convertLine);
  });

  function convertLine(line: PiLine): void {
    writer.at(timeOf(line.message?.timestamp) ?? timeOf(line.timestamp));
    switch (line.type) {
      case "message":
        return line.message
          ? convertMessage(line.message)
          : skipped.add("messages that cannot be read");
      case "custom_message":
        return remind(line);
      case "model_change":
        return writer.model(`pi: ${cleanLine(line.modelId ?? "unknown")}`);
      case "branch_summary": {
        const text = (line.summary ?? "").toWellFormed();
        return writer.context("recall", "summary of a branch", [{ type: "text", text }]);
      }
      case "compaction":
        return writer.summarized({
          text: line.summary ?? "",
          trigger: "auto",
          tokensBefore: countOf(line.tokensBefore),
          coverTo: findOrigin(findKept(line)),
        });
      case "context_edit":
        return convertEdit(line);
      case "session":
      case "session_info":
        return;
      default:
        skipped.add(line.type);
    }
  }

  function convertMessage(one: PiMessage): void {
    switch (one.role) {
      case "user":
        return writer.user(contentBlocks(one.content, skipped));
      case "assistant":
        return convertAnswer(one);
      case "toolResult":
        return writer.result({
          call: one.toolCallId ?? "",
          content: contentBlocks(one.content, skipped),
          isError: one.isError === true,
          tool: cleanLine(one.toolName ?? "unknown"),
        });
      case "bashExecution":
        return convertShell(one);
      case "custom":
      case "hookMessage":
        return remind(one);
      default:
        skipped.add(`messages of ${one.role}`);
    }
  }

  function remind({ customType, content }: PiLine | PiMessage): void {
    const title = cleanLine(customType ?? "") || "reminder";
    writer.context("reminder", title, contentBlocks(content, skipped));
  }

  function convertAnswer(one: PiMessage): void {
    const content = answerBlocks(one.content, skipped);
    const stop = stops.get(one.stopReason);
    writer.answer({ content, model: one.model, usage: usageOf(one.usage), stop });
    if (one.errorMessage !== null) writer.error(one.errorMessage);
  }

  /** A command that the user ran; with `!!` it was not shown to the model. */
  function convertShell(one: PiMessage): void {
    const ended =
      one.cancelled === true
        ? "\n(cancelled)"
        : one.exitCode
          ? `\n(exit code ${one.exitCode})`
          : "";
    const text = `$ ${one.command ?? ""}\n${one.output ?? ""}${ended}`.toWellFormed();
    if (one.excludeFromContext === true) writer.note("info", text);
    else writer.context("shell", cleanLine(one.command ?? "shell"), [{ type: "text", text }]);
  }

  /** Only results can be replaced here; an edit of text is skipped. */
  function convertEdit(line: PiLine): void {
    const call = steps.find(line.targetId)?.lines[0]?.message?.toolCallId;
    if (typeof call !== "string") return skipped.add("context_edit of text");
    const content = isRecord(line.replacement) ? line.replacement["content"] : [];
    const text = textOf(contentBlocks(content, skipped));
    const shown = text.trim() === "" ? "[pi took this result out of the context.]" : text;
    writer.cleared([call], shown, "pi replaced a result here.", [0, 0]);
  }
}

const stops = new Map<string | null, Stop>([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["toolUse", "tool_use"],
  ["error", "failed"],
  ["aborted", "interrupted"],
]);

const usageOf = (usage: unknown): Usage => ({
  input: countOf(usage, "input"),
  cacheRead: countOf(usage, "cacheRead"),
  cacheWrite: countOf(usage, "cacheWrite"),
  output: countOf(usage, "output"),
});
