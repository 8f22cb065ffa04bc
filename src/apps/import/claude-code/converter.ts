import type { AssistantBlock, UserBlock } from "../../../protocol/block.ts";
import { answerBlocks, saidBlocks } from "../blocks.ts";
import { isRecord, parseJson, plainLine, timeOf } from "../json.ts";
import type { Skipped } from "../skipped.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import type { SourceFile } from "../source-file.ts";
import type { LinePlace } from "../steps.ts";
import { lineSchema, rawBlocks, type ClaudeLine } from "./line.ts";
import { stopOf, usageIn } from "./usage.ts";
import { markOf } from "./words.ts";

/** The place before a line, for what was kept beside a summary begins there. */
export type PlaceBefore = (uuid: string) => EntryOrigin | null;

type Read = { line: ClaudeLine; message: unknown; atMs: number | null };

/** Tells the steps of one branch, one after the other. */
export class Converter {
  readonly #file: SourceFile;
  readonly #scribe: EntryWriter;
  readonly #leftOut: Skipped;
  readonly #placeBefore: PlaceBefore;
  /** A compaction whose summary comes next. */
  boundary: ClaudeLine | null = null;

  constructor(file: SourceFile, scribe: EntryWriter, leftOut: Skipped, placeBefore: PlaceBefore) {
    this.#file = file;
    this.#scribe = scribe;
    this.#leftOut = leftOut;
    this.#placeBefore = placeBefore;
  }

  step(lines: readonly LinePlace[]): void {
    const read = lines.flatMap((place) => this.#read(place));
    const answers = read.filter(({ line }) => line.type === "assistant");
    if (answers.length > 0) this.#answer(answers);
    for (const one of read) if (one.line.type !== "assistant") this.#other(one);
  }

  /** At the end of the conversation: a boundary whose summary never came. */
  end(): void {
    if (this.boundary === null) return;
    this.#scribe.note("info", "Claude Code compacted here; its summary is not in the file.", null);
  }

  #read(place: LinePlace): Read[] {
    const json = parseJson(this.#file.lineAt(place));
    const parsed = lineSchema.safeParse(json);
    if (!parsed.success) {
      this.#leftOut.add("lines that changed while they were read");
      return [];
    }
    const message = isRecord(json) ? json["message"] : null;
    return [{ line: parsed.data, message, atMs: timeOf(parsed.data.timestamp) }];
  }

  /** The lines of an answer hold a block each; the last of them has the whole count of tokens. */
  #answer(lines: readonly Read[]): void {
    const first = lines[0];
    const last = lines.at(-1);
    if (!first || !last) return;
    const model = first.line.message?.model ?? "unknown";
    const seen = new Set<string>();
    const content = lines.flatMap(({ line }): AssistantBlock[] =>
      answerBlocks(line.message?.content, this.#leftOut).filter((block) => {
        const key = JSON.stringify(block);
        return !seen.has(key) && seen.add(key);
      }),
    );
    if (first.line.isApiErrorMessage === true || model === "<synthetic>") {
      const text = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
      this.#scribe.note("error", text.join("\n").slice(0, 10_000), first.atMs);
      return;
    }
    const usages = lines.map(({ message }) => usageIn(message));
    const usage = usages.reduce((best, one) => (one.output >= best.output ? one : best));
    const reason = lines.findLast(({ line }) => line.message?.stop_reason)?.line.message;
    const stop = stopOf(
      reason?.stop_reason ?? null,
      content.some((block) => block.type === "tool_use"),
    );
    this.#scribe.answer({ content, model: plainLine(model), usage, stop }, last.atMs);
  }

  #other({ line, atMs }: Read): void {
    if (line.isCompactSummary === true) return this.#summary(line, atMs);
    switch (line.type) {
      case "user":
        return this.#user(line, atMs);
      case "system":
        return this.#system(line, atMs);
      case "attachment":
        return this.#attachment(line, atMs);
      default:
        this.#leftOut.add(line.type);
    }
  }

  #user(line: ClaudeLine, atMs: number | null): void {
    const content = line.message?.content;
    const words: unknown[] = [];
    for (const block of rawBlocks(line)) {
      if (block["type"] !== "tool_result") {
        words.push(block);
        continue;
      }
      const call = typeof block["tool_use_id"] === "string" ? block["tool_use_id"] : "";
      const said = saidBlocks(block["content"], this.#leftOut);
      this.#scribe.result(call, said, block["is_error"] === true, "unknown", atMs);
    }
    const said = saidBlocks(typeof content === "string" ? content : words, this.#leftOut);
    if (said.length > 0) this.#words(line, said, atMs);
  }

  #words(line: ClaudeLine, said: UserBlock[], atMs: number | null): void {
    const first = said.find((block) => block.type === "text");
    const mark = first?.type === "text" ? markOf(first.text) : null;
    if (mark) this.#scribe.context(mark.kind, mark.title, said, atMs);
    else if (line.isMeta === true) this.#scribe.context("reminder", "reminder", said, atMs);
    else this.#scribe.user(said, atMs);
  }

  #summary(line: ClaudeLine, atMs: number | null): void {
    const said = saidBlocks(line.message?.content, this.#leftOut);
    const text = said.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    const meta = this.boundary?.compactMetadata ?? null;
    this.boundary = null;
    const head = meta?.preservedSegment?.headUuid ?? null;
    this.#scribe.summarised(
      {
        text,
        trigger: meta?.trigger === "manual" ? "command" : "auto",
        reason: "Claude Code compacted the conversation here.",
        tokensBefore: Math.max(0, meta?.preTokens ?? 0),
        tokensAfter: Math.max(0, meta?.postTokens ?? Math.ceil(text.length / 4)),
        coverTo: head === null ? null : this.#placeBefore(head),
      },
      atMs,
    );
  }

  #system(line: ClaudeLine, atMs: number | null): void {
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
      this.#scribe.cleared(meta.compactedToolIds ?? [], text, reason, tokens, atMs);
      return;
    }
    this.#leftOut.add(`system ${line.subtype ?? ""}`);
  }

  /** A person's words, typed while the agent worked, and files that they named; no more of it. */
  #attachment(line: ClaudeLine, atMs: number | null): void {
    const { attachment } = line;
    if (attachment?.type === "queued_command") {
      const said = saidBlocks(attachment.prompt, this.#leftOut);
      if (said.length > 0) return this.#words(line, said, atMs);
    }
    const text = attachment?.type === "file" ? fileIn(attachment.content) : null;
    if (text === null) return this.#leftOut.add(`attachment ${attachment?.type ?? ""}`);
    const title = plainLine(attachment?.filename ?? "", 200) || "file";
    this.#scribe.context("reminder", title, [{ type: "text", text: text.toWellFormed() }], atMs);
  }
}

/** The text of a file that was attached whole or in part. */
function fileIn(content: unknown): string | null {
  const file = isRecord(content) ? content["file"] : null;
  return isRecord(file) && typeof file["content"] === "string" ? file["content"] : null;
}
