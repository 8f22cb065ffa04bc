/** Reads a session of pi: the first pass finds how its lines are linked, the second converts them. */

import { textOf } from "../../../protocol/block.ts";
import type { Stop, Usage } from "../../../protocol/model.ts";
import { answerBlocks, contentBlocks } from "../blocks.ts";
import { countOf, isRecord, cleanLine, parseJson, timeOf } from "../json.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import type { Reader } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { convertBranches } from "../steps.ts";
import { isPiHeader, isPiLine, lineSchema, type PiLine, type PiMessage } from "./line.ts";
import { Scan } from "./scan.ts";

export const pi: Reader = {
  recognizes: isPiLine,
  read(file) {
    const scan = new Scan();
    const bytes = file.eachJson(scan.skipped, (json, place) => {
      const parsed = lineSchema.safeParse(json);
      if (parsed.success) scan.take(parsed.data, isPiHeader(json), place);
      else scan.skipped.add("lines without a type");
    });
    scan.steps.link();
    return scan.result("pi", file.path, bytes, (writer) => convert(scan, file, writer));
  },
};

/** Writes the entries of every branch. */
function convert(scan: Scan, file: SourceFile, writer: EntryWriter): void {
  const { steps } = scan;
  const { skipped } = writer;
  const kept = new Map<number, EntryOrigin | null>();
  for (const name of scan.kept) kept.set(scan.find(name), null);

  convertBranches(steps, steps.length - 1, kept, writer, () => (step) => {
    const line = readAgain(step);
    if (line) convertLine(line);
    else skipped.add("lines that changed while they were read");
  });

  function readAgain(step: number): PiLine | null {
    const [place] = steps.lines(step);
    return lineSchema.safeParse(place ? parseJson(file.lineAt(place)) : null).data ?? null;
  }

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
          coverTo: kept.get(scan.find(line.firstKeptEntryId ?? line.firstKeptEntryIndex)) ?? null,
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
    const call = readAgain(steps.find(line.targetId))?.message?.toolCallId;
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
