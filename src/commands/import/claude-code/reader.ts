/** Reads a session of Claude Code and converts each of its branches. */

import { z } from "zod";
import { textOf, type UserBlock } from "../../../protocol/block.ts";
import { modelStops, type Usage } from "../../../protocol/model.ts";
import { answerBlocks, contentBlocks, markIn, type Marks } from "../blocks.ts";
import type { EntryWriter } from "../entry-writer.ts";
import { cleanLine, countOf, isRecord, timeOf } from "../json.ts";
import type { Reader } from "../source.ts";
import { convertBranches, type FindOrigin } from "../tree.ts";
import {
  Conversation,
  interruption,
  isClaudeLine,
  rawBlocks,
  type ClaudeLine,
  type ClaudeStep,
} from "./conversation.ts";

export const claudeCode: Reader = {
  recognizes: isClaudeLine,
  read(file) {
    const conversation = new Conversation(file);
    return {
      session: conversation.session,
      convert: (writer) => convert(conversation, writer),
    };
  },
};

/** Writes the entries of every branch. */
function convert(conversation: Conversation, writer: EntryWriter): void {
  const { steps, messages, interrupted } = conversation;
  const { skipped } = writer;
  /** A compaction whose summary is still to come: a hook's line may be between. */
  let boundary: ClaudeLine | null = null;
  /** The same after each step that another branch may follow. */
  const waiting = new Map<ClaudeStep, ClaudeLine>();
  let findOrigin: FindOrigin<ClaudeLine> = () => null;

  convertBranches(steps.all, conversation.latest, writer, (branch, find) => {
    // Lines outside the conversation, such as a hook's report, do not make a branch.
    const isBranch = branch.steps.some((step) => messages.has(step));
    boundary = (branch.fork && waiting.get(branch.fork)) ?? null;
    findOrigin = find;
    return (step) => {
      if (isBranch) convertStep(step);
      else skipped.add("lines outside the conversation", step.lines.length);
      if (boundary) waiting.set(step, boundary);
    };
  });
  if (boundary !== null)
    writer.at(null).note("info", "Claude Code compacted here; its summary is not in the file.");

  function convertStep(step: ClaudeStep): void {
    const answer = step.lines.filter(({ type }) => type === "assistant");
    writeAnswer(answer, interrupted.has(step));
    for (const line of step.lines) if (line.type !== "assistant") writeOther(line);
  }

  /** Each line of an answer holds one block; the last has the complete usage. */
  function writeAnswer(lines: readonly ClaudeLine[], isInterrupted: boolean): void {
    const [first] = lines;
    const last = lines.at(-1);
    if (!first || !last) return;
    const model = first.message?.model ?? "unknown";
    const blocks = lines.flatMap(({ message }) => answerBlocks(message?.content, skipped));
    const content = [...new Map(blocks.map((block) => [JSON.stringify(block), block])).values()];
    if (first.isApiErrorMessage === true || model === "<synthetic>")
      return writer.at(timeOf(first.timestamp)).error(textOf(content));
    const usages = lines.map(({ message }) => usageOf(message?.usage));
    const usage = usages.reduce((best, one) => (one.output >= best.output ? one : best));
    const ended = lines.findLast(({ message }) => message?.stop_reason)?.message?.stop_reason;
    const calls = content.some((block) => block.type === "tool_use");
    const stop = isInterrupted && !ended && !calls ? "interrupted" : stops.safeParse(ended).data;
    writer.at(timeOf(last.timestamp)).answer({ content, model, usage, stop });
  }

  function writeOther(line: ClaudeLine): void {
    writer.at(timeOf(line.timestamp));
    if (line.isCompactSummary === true) return writeSummary(line);
    switch (line.type) {
      case "user":
        return writeUser(line);
      case "system":
        return takeSystem(line);
      case "attachment":
        return writeAttachment(line);
      default:
        skipped.add(line.type);
    }
  }

  function writeUser(line: ClaudeLine): void {
    const content = line.message?.content;
    const words: unknown[] = [];
    for (const block of rawBlocks(line)) {
      if (block["type"] !== "tool_result") {
        words.push(block);
        continue;
      }
      const call = typeof block["tool_use_id"] === "string" ? block["tool_use_id"] : "";
      const said = contentBlocks(block["content"], skipped);
      writer.result({ call, content: said, isError: block["is_error"] === true });
    }
    const said = contentBlocks(typeof content === "string" ? content : words, skipped);
    if (said.length > 0) writeWords(line, said);
  }

  function writeWords(line: ClaudeLine, said: UserBlock[]): void {
    const mark = markIn(said, marks);
    if (mark) writer.context(mark.kind, mark.title, said);
    else if (line.isMeta === true) writer.context("reminder", "reminder", said);
    else writer.user(said);
  }

  function writeSummary(line: ClaudeLine): void {
    const text = textOf(contentBlocks(line.message?.content, skipped));
    const meta = boundary?.compactMetadata ?? null;
    boundary = null;
    writer.summarized({
      text,
      trigger: meta?.trigger === "manual" ? "command" : "auto",
      tokensBefore: meta?.preTokens ?? 0,
      tokensAfter: meta?.postTokens ?? null,
      coverTo: findOrigin(steps.find(meta?.preservedSegment?.headUuid)),
    });
  }

  function takeSystem(line: ClaudeLine): void {
    const meta = line.microcompactMetadata;
    if (line.subtype === "compact_boundary") boundary = line;
    else if (line.subtype === "microcompact_boundary" && meta !== null) {
      const before = Math.max(0, meta.preTokens ?? 0);
      const tokens: [number, number] = [before, Math.max(0, before - (meta.tokensSaved ?? 0))];
      const text = "[Claude Code cleared this old result.]";
      const reason = "Claude Code cleared old results here.";
      writer.cleared(meta.compactedToolIds ?? [], text, reason, tokens);
    } else skipped.add(`system ${line.subtype ?? ""}`);
  }

  /** Keeps messages typed while the agent worked and files that the user attached; skips the rest. */
  function writeAttachment(line: ClaudeLine): void {
    const { attachment } = line;
    if (attachment?.type === "queued_command") {
      const said = contentBlocks(attachment.prompt, skipped);
      if (said.length > 0) return writeWords(line, said);
    }
    const text = attachment?.type === "file" ? fileIn(attachment.content) : null;
    if (text === null) return skipped.add(`attachment ${attachment?.type ?? ""}`);
    const title = cleanLine(attachment?.filename ?? "", 200) || "file";
    writer.context("reminder", title, [{ type: "text", text: text.toWellFormed() }]);
  }
}

/** The text of an attached file, or of a part of it. */
function fileIn(content: unknown): string | null {
  const file = isRecord(content) ? content["file"] : null;
  return isRecord(file) && typeof file["content"] === "string" ? file["content"] : null;
}

/** Usage as Anthropic's API reports it. */
function usageOf(usage: unknown): Usage {
  const written1h = countOf(usage, "cache_creation", "ephemeral_1h_input_tokens");
  return {
    input: countOf(usage, "input_tokens"),
    cacheRead: countOf(usage, "cache_read_input_tokens"),
    cacheWrite: countOf(usage, "cache_creation_input_tokens"),
    ...(written1h > 0 ? { cacheWrite1h: written1h } : {}),
    output: countOf(usage, "output_tokens"),
  };
}

/** The stop reasons. Lines that were written while the answer streamed have none. */
const stops = z.enum(modelStops);

const marks: Marks = [
  [/^<bash-(input|stdout|stderr)>/, "shell", "shell"],
  [/^<local-command-(stdout|stderr|caveat)>/, "reminder", "command"],
  [/^<command-(name|message|args|contents)>/, "reminder", "command"],
  [/^<(system-reminder|task-notification|user-memory-input)>/, "reminder", "reminder"],
  [/^Caveat: The messages below were generated/, "reminder", "command"],
  [interruption, "reminder", "interrupted"],
];
