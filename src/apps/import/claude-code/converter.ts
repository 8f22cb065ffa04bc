import { z } from "zod";
import { textOf, type AssistantBlock, type UserBlock } from "../../../protocol/block.ts";
import { modelStops, type Stop, type Usage } from "../../../protocol/model.ts";
import { answerBlocks, contentBlocks } from "../blocks.ts";
import { markIn } from "../marks.ts";
import { countOf, isRecord, parseJson, cleanLine, timeOf } from "../json.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import type { LinePlace, SourceFile } from "../source-file.ts";
import { lineSchema, marks, rawBlocks, type ClaudeLine } from "./line.ts";

/** The log position before a line, where what a summary kept verbatim begins. */
type OriginBefore = (uuid: string) => EntryOrigin | null;

type Read = { line: ClaudeLine; message: unknown; atMs: number | null };

/** Converts the steps of one branch in order. */
export class Converter {
  readonly #file: SourceFile;
  readonly #writer: EntryWriter;
  readonly #originBefore: OriginBefore;
  /** A compaction whose summary is still to come. */
  boundary: ClaudeLine | null = null;

  constructor(file: SourceFile, writer: EntryWriter, originBefore: OriginBefore) {
    this.#file = file;
    this.#writer = writer;
    this.#originBefore = originBefore;
  }

  step(lines: readonly LinePlace[], isInterrupted: boolean): void {
    const read = lines.flatMap((place) => this.#read(place));
    const answers = read.filter(({ line }) => line.type === "assistant");
    if (answers.length > 0) this.#answer(answers, isInterrupted);
    for (const one of read) if (one.line.type !== "assistant") this.#other(one);
  }

  /** At the end of the conversation: reports a boundary whose summary never came. */
  end(): void {
    if (this.boundary === null) return;
    this.#writer.at(null);
    this.#writer.note("info", "Claude Code compacted here; its summary is not in the file.");
  }

  #read(place: LinePlace): Read[] {
    const json = parseJson(this.#file.lineAt(place));
    const parsed = lineSchema.safeParse(json);
    if (!parsed.success) {
      this.#writer.skipped.add("lines that changed while they were read");
      return [];
    }
    const message = isRecord(json) ? json["message"] : null;
    return [{ line: parsed.data, message, atMs: timeOf(parsed.data.timestamp) }];
  }

  /** Each line of an answer holds one block; the last has the complete usage. */
  #answer(lines: readonly Read[], isInterrupted: boolean): void {
    const first = lines[0];
    const last = lines.at(-1);
    if (!first || !last) return;
    const model = first.line.message?.model ?? "unknown";
    const seen = new Set<string>();
    const content = lines.flatMap(({ line }): AssistantBlock[] =>
      answerBlocks(line.message?.content, this.#writer.skipped).filter((block) => {
        const key = JSON.stringify(block);
        return !seen.has(key) && seen.add(key);
      }),
    );
    if (first.line.isApiErrorMessage === true || model === "<synthetic>") {
      this.#writer.at(first.atMs);
      this.#writer.error(textOf(content));
      return;
    }
    const usages = lines.map(({ message }) => usageIn(message));
    const usage = usages.reduce((best, one) => (one.output >= best.output ? one : best));
    const reason = lines.findLast(({ line }) => line.message?.stop_reason)?.line.message;
    const calls = content.some((block) => block.type === "tool_use");
    const known = reason?.stop_reason ?? null;
    const stop = isInterrupted && known === null && !calls ? "interrupted" : stopOf(known);
    this.#writer.at(last.atMs);
    this.#writer.answer({ content, model, usage, stop });
  }

  #other({ line, atMs }: Read): void {
    this.#writer.at(atMs);
    if (line.isCompactSummary === true) return this.#summary(line);
    switch (line.type) {
      case "user":
        return this.#user(line);
      case "system":
        return this.#system(line);
      case "attachment":
        return this.#attachment(line);
      default:
        this.#writer.skipped.add(line.type);
    }
  }

  #user(line: ClaudeLine): void {
    const content = line.message?.content;
    const words: unknown[] = [];
    for (const block of rawBlocks(line)) {
      if (block["type"] !== "tool_result") {
        words.push(block);
        continue;
      }
      const call = typeof block["tool_use_id"] === "string" ? block["tool_use_id"] : "";
      const said = contentBlocks(block["content"], this.#writer.skipped);
      this.#writer.result({ call, content: said, isError: block["is_error"] === true });
    }
    const said = contentBlocks(typeof content === "string" ? content : words, this.#writer.skipped);
    if (said.length > 0) this.#words(line, said);
  }

  #words(line: ClaudeLine, said: UserBlock[]): void {
    const mark = markIn(said, marks);
    if (mark) this.#writer.context(mark.kind, mark.title, said);
    else if (line.isMeta === true) this.#writer.context("reminder", "reminder", said);
    else this.#writer.user(said);
  }

  #summary(line: ClaudeLine): void {
    const text = textOf(contentBlocks(line.message?.content, this.#writer.skipped));
    const meta = this.boundary?.compactMetadata ?? null;
    this.boundary = null;
    const head = meta?.preservedSegment?.headUuid ?? null;
    this.#writer.summarized({
      text,
      trigger: meta?.trigger === "manual" ? "command" : "auto",
      tokensBefore: meta?.preTokens ?? 0,
      tokensAfter: meta?.postTokens ?? null,
      coverTo: head === null ? null : this.#originBefore(head),
    });
  }

  #system(line: ClaudeLine): void {
    if (line.subtype === "compact_boundary") {
      this.boundary = line;
      return;
    }
    const meta = line.microcompactMetadata;
    if (line.subtype === "microcompact_boundary" && meta !== null) {
      const before = Math.max(0, meta.preTokens ?? 0);
      const tokens: [number, number] = [before, Math.max(0, before - (meta.tokensSaved ?? 0))];
      const text = "[Claude Code cleared this old result.]";
      const reason = "Claude Code cleared old results here.";
      this.#writer.cleared(meta.compactedToolIds ?? [], text, reason, tokens);
      return;
    }
    this.#writer.skipped.add(`system ${line.subtype ?? ""}`);
  }

  /** Keeps only messages typed while the agent worked, and files that the user attached. */
  #attachment(line: ClaudeLine): void {
    const { attachment } = line;
    if (attachment?.type === "queued_command") {
      const said = contentBlocks(attachment.prompt, this.#writer.skipped);
      if (said.length > 0) return this.#words(line, said);
    }
    const text = attachment?.type === "file" ? fileIn(attachment.content) : null;
    if (text === null) return this.#writer.skipped.add(`attachment ${attachment?.type ?? ""}`);
    const title = cleanLine(attachment?.filename ?? "", 200) || "file";
    this.#writer.context("reminder", title, [{ type: "text", text: text.toWellFormed() }]);
  }
}

/** The text of an attached file, or of a part of it. */
function fileIn(content: unknown): string | null {
  const file = isRecord(content) ? content["file"] : null;
  return isRecord(file) && typeof file["content"] === "string" ? file["content"] : null;
}

/** Usage as Anthropic's API reports it. */
function usageIn(message: unknown): Usage {
  const usage = isRecord(message) ? message["usage"] : null;
  const written1h = countOf(usage, "cache_creation", "ephemeral_1h_input_tokens");
  return {
    input: countOf(usage, "input_tokens"),
    cacheRead: countOf(usage, "cache_read_input_tokens"),
    cacheWrite: countOf(usage, "cache_creation_input_tokens"),
    ...(written1h > 0 ? { cacheWrite1h: written1h } : {}),
    output: countOf(usage, "output_tokens"),
  };
}

const stops = z.enum(modelStops);

/** Lines that were written while the answer streamed have no stop reason. */
const stopOf = (reason: string | null): Stop | undefined => stops.safeParse(reason).data;
