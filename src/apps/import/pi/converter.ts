import type { AssistantBlock } from "../../../protocol/block.ts";
import type { Stop, Usage } from "../../../protocol/model.ts";
import { answerBlocks, saidBlocks } from "../blocks.ts";
import { countOf, isRecord, plainLine, timeOf } from "../json.ts";
import type { Skipped } from "../skipped.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import type { PiLine, PiMessage } from "./line.ts";

/** What is known of other entries: where the log stood before one, and whose result it is. */
export type Converted = {
  /** By id, or by position in the file. */
  placeBefore(name: string | number | null): EntryOrigin | null;
  callOf(id: string | null): string | null;
};

/** Tells one entry. */
export function convertLine(
  line: PiLine,
  scribe: EntryWriter,
  leftOut: Skipped,
  told: Converted,
): void {
  const atMs = timeOf(line.message?.timestamp) ?? timeOf(line.timestamp);
  switch (line.type) {
    case "message":
      return line.message
        ? tellMessage(line.message, scribe, leftOut, atMs)
        : leftOut.add("messages that cannot be read");
    case "custom_message": {
      const said = saidBlocks(line.content, leftOut);
      return scribe.context("reminder", titleOf(line.customType), said, atMs);
    }
    case "model_change":
      return scribe.model(`pi: ${plainLine(line.modelId ?? "unknown")}`, atMs);
    case "branch_summary": {
      const text = (line.summary ?? "").toWellFormed();
      return scribe.context("recall", "summary of a branch", [{ type: "text", text }], atMs);
    }
    case "compaction":
      return scribe.summarised(
        {
          text: line.summary ?? "",
          trigger: "auto",
          reason: "pi compacted the conversation here.",
          tokensBefore: countOf(line.tokensBefore),
          tokensAfter: Math.ceil((line.summary ?? "").length / 4),
          coverTo: told.placeBefore(line.firstKeptEntryId ?? line.firstKeptEntryIndex),
        },
        atMs,
      );
    case "context_edit":
      return tellEdit(line, scribe, leftOut, told, atMs);
    case "session":
    case "session_info":
      return;
    default:
      leftOut.add(line.type);
  }
}

const titleOf = (customType: string | null): string => plainLine(customType ?? "") || "reminder";

function tellMessage(
  one: PiMessage,
  scribe: EntryWriter,
  leftOut: Skipped,
  atMs: number | null,
): void {
  switch (one.role) {
    case "user":
      return scribe.user(saidBlocks(one.content, leftOut), atMs);
    case "assistant":
      return tellAnswer(one, scribe, leftOut, atMs);
    case "toolResult": {
      const said = saidBlocks(one.content, leftOut);
      const name = plainLine(one.toolName ?? "unknown");
      return scribe.result(one.toolCallId ?? "", said, one.isError === true, name, atMs);
    }
    case "bashExecution":
      return tellShell(one, scribe, atMs);
    case "custom":
    case "hookMessage": {
      const said = saidBlocks(one.content, leftOut);
      return scribe.context("reminder", titleOf(one.customType), said, atMs);
    }
    default:
      leftOut.add(`messages of ${one.role}`);
  }
}

const stops: Record<string, Stop> = {
  stop: "end_turn",
  length: "max_tokens",
  toolUse: "tool_use",
  error: "failed",
  aborted: "interrupted",
};

function tellAnswer(
  one: PiMessage,
  scribe: EntryWriter,
  leftOut: Skipped,
  atMs: number | null,
): void {
  const content = answerBlocks(one.content, leftOut);
  const calls = content.some((block: AssistantBlock) => block.type === "tool_use");
  const known = Object.hasOwn(stops, one.stopReason ?? "")
    ? stops[one.stopReason ?? ""]
    : undefined;
  const stop = known ?? (calls ? "tool_use" : "end_turn");
  const model = plainLine(one.model ?? "unknown");
  scribe.answer({ content, model, usage: usageOf(one.usage), stop }, atMs);
  if (one.errorMessage !== null) scribe.note("error", one.errorMessage.slice(0, 10_000), atMs);
}

function usageOf(raw: unknown): Usage {
  const usage = isRecord(raw) ? raw : {};
  return {
    input: countOf(usage["input"]),
    cacheRead: countOf(usage["cacheRead"]),
    cacheWrite: countOf(usage["cacheWrite"]),
    output: countOf(usage["output"]),
  };
}

/** A command that the person ran; with `!!` for their own eyes only. */
function tellShell(one: PiMessage, scribe: EntryWriter, atMs: number | null): void {
  const ended =
    one.cancelled === true ? "\n(cancelled)" : one.exitCode ? `\n(exit code ${one.exitCode})` : "";
  const text = `$ ${one.command ?? ""}\n${one.output ?? ""}${ended}`.toWellFormed();
  if (one.excludeFromContext === true) scribe.note("info", text, atMs);
  else scribe.context("shell", plainLine(one.command ?? "shell"), [{ type: "text", text }], atMs);
}

/** Only a result may give way with us: an edit of words stays undone, and is counted. */
function tellEdit(
  line: PiLine,
  scribe: EntryWriter,
  leftOut: Skipped,
  told: Converted,
  atMs: number | null,
): void {
  const call = told.callOf(line.targetId);
  if (call === null) return leftOut.add("context_edit of words");
  const content = isRecord(line.replacement) ? line.replacement["content"] : [];
  const said = saidBlocks(content, leftOut);
  const text = said.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const shown = text.trim() === "" ? "[pi took this result out of the context.]" : text;
  scribe.cleared([call], shown, "pi replaced a result here.", [0, 0], atMs);
}
