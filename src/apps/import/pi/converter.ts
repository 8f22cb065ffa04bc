import { textOf } from "../../../protocol/block.ts";
import type { Stop, Usage } from "../../../protocol/model.ts";
import { answerBlocks, contentBlocks } from "../blocks.ts";
import { countOf, isRecord, cleanLine, timeOf } from "../json.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import type { PiLine, PiMessage } from "./line.ts";

/** Looks up other entries: the log position before one, and the call that one is the result of. */
export type Lookup = {
  /** By id, or by position in the file. */
  originBefore(name: string | number | null): EntryOrigin | null;
  callOf(id: string | null): string | null;
};

/** Converts one entry. */
export function convertLine(line: PiLine, writer: EntryWriter, lookup: Lookup): void {
  const { skipped } = writer;
  writer.at(timeOf(line.message?.timestamp) ?? timeOf(line.timestamp));
  switch (line.type) {
    case "message":
      return line.message
        ? convertMessage(line.message, writer)
        : skipped.add("messages that cannot be read");
    case "custom_message": {
      const said = contentBlocks(line.content, skipped);
      return writer.context("reminder", titleOf(line.customType), said);
    }
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
        coverTo: lookup.originBefore(line.firstKeptEntryId ?? line.firstKeptEntryIndex),
      });
    case "context_edit":
      return convertEdit(line, writer, lookup);
    case "session":
    case "session_info":
      return;
    default:
      skipped.add(line.type);
  }
}

const titleOf = (customType: string | null): string => cleanLine(customType ?? "") || "reminder";

function convertMessage(one: PiMessage, writer: EntryWriter): void {
  const { skipped } = writer;
  switch (one.role) {
    case "user":
      return writer.user(contentBlocks(one.content, skipped));
    case "assistant":
      return convertAnswer(one, writer);
    case "toolResult":
      return writer.result({
        call: one.toolCallId ?? "",
        content: contentBlocks(one.content, skipped),
        isError: one.isError === true,
        tool: cleanLine(one.toolName ?? "unknown"),
      });
    case "bashExecution":
      return convertShell(one, writer);
    case "custom":
    case "hookMessage": {
      const said = contentBlocks(one.content, skipped);
      return writer.context("reminder", titleOf(one.customType), said);
    }
    default:
      skipped.add(`messages of ${one.role}`);
  }
}

const stops = new Map<string | null, Stop>([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["toolUse", "tool_use"],
  ["error", "failed"],
  ["aborted", "interrupted"],
]);

function convertAnswer(one: PiMessage, writer: EntryWriter): void {
  const content = answerBlocks(one.content, writer.skipped);
  const stop = stops.get(one.stopReason);
  writer.answer({ content, model: one.model, usage: usageOf(one.usage), stop });
  if (one.errorMessage !== null) writer.error(one.errorMessage);
}

const usageOf = (usage: unknown): Usage => ({
  input: countOf(usage, "input"),
  cacheRead: countOf(usage, "cacheRead"),
  cacheWrite: countOf(usage, "cacheWrite"),
  output: countOf(usage, "output"),
});

/** A command that the user ran; with `!!` it was not shown to the model. */
function convertShell(one: PiMessage, writer: EntryWriter): void {
  const ended =
    one.cancelled === true ? "\n(cancelled)" : one.exitCode ? `\n(exit code ${one.exitCode})` : "";
  const text = `$ ${one.command ?? ""}\n${one.output ?? ""}${ended}`.toWellFormed();
  if (one.excludeFromContext === true) writer.note("info", text);
  else writer.context("shell", cleanLine(one.command ?? "shell"), [{ type: "text", text }]);
}

/** Only results can be replaced here; an edit of text is skipped. */
function convertEdit(line: PiLine, writer: EntryWriter, lookup: Lookup): void {
  const call = lookup.callOf(line.targetId);
  if (call === null) return writer.skipped.add("context_edit of text");
  const content = isRecord(line.replacement) ? line.replacement["content"] : [];
  const text = textOf(contentBlocks(content, writer.skipped));
  const shown = text.trim() === "" ? "[pi took this result out of the context.]" : text;
  writer.cleared([call], shown, "pi replaced a result here.", [0, 0]);
}
