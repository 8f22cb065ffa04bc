/**
 * Reads a session of Claude Code (`~/.claude/projects/<folder>/<session>.jsonl`). The format is not
 * published; the README names the sources.
 */

import { basename } from "node:path";
import { z } from "zod";
import { blockText, type UserBlock } from "../../protocol/block.ts";
import { modelStops, type Usage } from "../../protocol/model.ts";
import { answerBlocks, contentBlocks, readWords, type Marks } from "./blocks.ts";
import { StepIndex, type ForeignEvent, type ForeignStep, type Untimed } from "./conversation.ts";
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
import { ForeignSession, type ReadConversation, type Reader, type SourceFile } from "./source.ts";

export const claudeCode: Reader = {
  recognizes(json) {
    if (!isRecord(json) || typeof json["type"] !== "string") return false;
    if (typeof json["sessionId"] === "string" || typeof json["leafUuid"] === "string") return true;
    if (json["type"] === "file-history-snapshot" && isRecord(json["snapshot"])) return true;
    return typeof json["uuid"] === "string" && "parentUuid" in json;
  },
  read: (file) => new ClaudeTree(file).result,
};

const lineSchema = z.object({
  type: z.string(),
  subtype: text,
  uuid: text,
  parentUuid: text,
  logicalParentUuid: text,
  sessionId: text,
  agentId: text,
  timestamp: text,
  cwd: text,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  isApiErrorMessage: flag,
  content: anything,
  message: maybe(
    z.object({ id: text, model: text, content: anything, stop_reason: text, usage: anything }),
  ),
  summary: text,
  leafUuid: text,
  customTitle: text,
  aiTitle: text,
  compactMetadata: maybe(
    z.object({
      trigger: text,
      preTokens: count,
      postTokens: count,
      preservedSegment: maybe(z.object({ headUuid: text, anchorUuid: text, tailUuid: text })),
    }),
  ),
  microcompactMetadata: maybe(
    z.object({
      preTokens: count,
      tokensSaved: count,
      compactedToolIds: maybe(z.array(z.string())),
    }),
  ),
  attachment: maybe(z.object({ type: text, prompt: anything, filename: text, content: anything })),
});

type ClaudeLine = z.infer<typeof lineSchema>;

/** The content blocks of a message that are objects. */
const rawBlocks = ({ message }: ClaudeLine): { [key: string]: unknown }[] =>
  Array.isArray(message?.content) ? message.content.filter(isRecord) : [];

/** The ids in blocks of one type: `id` of calls, `tool_use_id` of results. */
const findIds = (line: ClaudeLine, type: string, key: string): string[] =>
  rawBlocks(line).flatMap((block) =>
    block["type"] === type && typeof block[key] === "string" ? [block[key]] : [],
  );

const interruption = /^\[Request interrupted by user/;

/** Whether the message says that the user interrupted what it follows. */
const isInterruption = (line: ClaudeLine): boolean =>
  [line.message?.content, ...rawBlocks(line).map(({ text }) => text)].some(
    (text) => typeof text === "string" && interruption.test(text),
  );

/**
 * Joins the lines of a file into steps. A step is one line, or an answer with the results of its
 * calls: each of its blocks has a line, and a result names any of these lines as its parent.
 */
class ClaudeTree {
  readonly session: ForeignSession;
  readonly steps = new StepIndex();
  readonly #lines = new Map<ForeignStep, ClaudeLine[]>();
  #latest: ForeignStep | null = null;
  #sessionId: string | null = null;
  #agentId: string | null = null;
  readonly #byMessage = new Map<string, ForeignStep>();
  readonly #byCall = new Map<string, ForeignStep>();
  #latestMs = -Infinity;
  #customTitle: string | null = null;
  #aiTitle: string | null = null;
  readonly #boundaries = new Map<ForeignStep, ClaudeLine>();
  /** Messages that say that the user interrupted what they follow. */
  readonly #interruptions: ForeignStep[] = [];
  /** A compaction whose summary is still to come: a hook's line may be between. */
  #compaction: ClaudeLine | null = null;
  /** A title names the line that it belongs to, which may be in another file. */
  readonly #summaries: { leaf: string; text: string }[] = [];

  constructor(file: SourceFile) {
    this.session = new ForeignSession("Claude Code", file);
    const { skipped } = this.session;
    for (const json of file.lines(skipped)) {
      const line = lineSchema.safeParse(json).data;
      if (line) this.#take(line);
      else skipped.add("lines without a type");
    }
    this.#finish(basename(file.path));
    this.#convert();
  }

  get result(): ReadConversation {
    return { session: this.session, steps: this.steps.all, latest: this.#latest };
  }

  #take(line: ClaudeLine): void {
    const { session } = this;
    // A session that continues in another file copies its lines; the last ones are its own.
    this.#sessionId = line.sessionId ?? this.#sessionId;
    this.#agentId ??= line.agentId;
    session.cwd ??= line.cwd;
    if (line.customTitle?.trim()) this.#customTitle = line.customTitle;
    if (line.aiTitle?.trim()) this.#aiTitle = line.aiTitle;
    if (line.uuid !== null || line.type === "user" || line.type === "assistant") this.#grow(line);
    else if (line.type === "summary" && line.leafUuid !== null && line.summary !== null)
      this.#summaries.push({ leaf: line.leafUuid, text: line.summary });
    else if (line.customTitle === null && line.aiTitle === null) session.skipped.add(line.type);
  }

  #grow(line: ClaudeLine): void {
    const { session, steps } = this;
    const isSidechain = line.isSidechain === true;
    // The first line decides.
    if (steps.all.length === 0) session.isSubagent = isSidechain;
    if (isSidechain !== session.isSubagent) return session.skipped.add("lines of subagents");
    if (steps.find(line.uuid)) return session.skipped.add("repeated lines");
    const step = this.#stepFor(line);
    this.#lines.getOrInsert(step, []).push(line);
    steps.addLine(step, line.uuid, line.parentUuid);
    if (line.subtype === "compact_boundary") this.#boundaries.set(step, line);
    if (line.type !== "user" && line.type !== "assistant") return;
    session.hasConversation = true;
    if (line.type === "user" && isInterruption(line)) this.#interruptions.push(step);
    const atMs = readTime(line.timestamp);
    if (atMs !== null) session.startedMs = Math.min(session.startedMs ?? atMs, atMs);
    if (line.isMeta === true) return;
    if ((atMs ?? -Infinity) < this.#latestMs) return;
    this.#latest = step;
    this.#latestMs = atMs ?? this.#latestMs;
  }

  #stepFor(line: ClaudeLine): ForeignStep {
    const { all } = this.steps;
    const message = line.type === "assistant" ? (line.message?.id ?? null) : null;
    let step = message === null ? undefined : this.#byMessage.get(message);
    if (line.type === "user")
      for (const id of findIds(line, "tool_result", "tool_use_id")) step ??= this.#byCall.get(id);
    if (step === undefined) {
      // The boundary of a compaction starts a new tree, and follows what it compacted.
      const follows =
        line.parentUuid !== null ||
        line.subtype === "compact_boundary" ||
        line.isCompactSummary === true ||
        line.uuid === null;
      step = this.steps.begin(follows ? (all.at(-1) ?? null) : null);
    }
    if (message !== null) this.#byMessage.set(message, step);
    if (line.type === "assistant")
      for (const id of findIds(line, "tool_use", "id")) this.#byCall.set(id, step);
    return step;
  }

  #finish(fileName: string): void {
    const { session, steps } = this;
    const id = this.#sessionId || fileName;
    session.id = session.isSubagent ? `${id}/${this.#agentId ?? fileName}` : id;
    steps.link();
    this.#linkBoundaries();
    const own = this.#summaries.filter(({ leaf }) => steps.find(leaf));
    const summary = own.at(-1)?.text.trim() || null;
    session.title = this.#customTitle ?? this.#aiTitle ?? summary;
    const others = this.#summaries.length - own.length;
    if (others > 0) session.skipped.add("titles of other sessions", others);
  }

  /**
   * A boundary starts a new tree, but follows what it compacted: the last line that was summarized
   * or kept. That line may have been written again after the boundary; then the line before the
   * boundary in the file is meant. Whatever follows the last line that was kept follows the summary
   * here.
   */
  #linkBoundaries(): void {
    const { steps } = this;
    const { all } = steps;
    const positions = new Map(all.map((step, position) => [step, position]));
    /** The position of a line's step in the file; -1: it is not there. */
    const findPosition = (id: string | null | undefined): number => {
      const step = steps.find(id);
      return (step && positions.get(step)) ?? -1;
    };
    /** By the last step that was kept, the position of the summary. */
    const summaries = new Map<ForeignStep, number>();
    for (const [position, step] of all.entries()) {
      const summary = step.parent && summaries.get(step.parent);
      if (typeof summary === "number" && summary < position)
        step.parent = all[summary] ?? step.parent;
      const boundary = this.#boundaries.get(step);
      if (!boundary || steps.namedParent(step)) continue;
      const kept = boundary.compactMetadata?.preservedSegment;
      const tail = findPosition(kept?.tailUuid);
      const follows = [findPosition(boundary.logicalParentUuid), tail].filter(
        (at) => at < position,
      );
      const before = Math.max(-1, ...follows);
      step.parent = all[before === -1 ? position - 1 : before] ?? null;
      const [last, anchor] = [all[tail], findPosition(kept?.anchorUuid)];
      if (last && tail < position && anchor > position) summaries.set(last, anchor);
    }
  }

  /** Gives every step its events. Call it once the steps are linked. */
  #convert(): void {
    const interrupted = new Set(this.#interruptions.map(({ parent }) => parent));
    for (const [step, lines] of this.#lines) {
      const answer = lines.filter(({ type }) => type === "assistant");
      step.events.push(...this.#answer(answer, interrupted.has(step)));
      for (const line of lines) {
        if (line.type === "assistant") continue;
        const atMs = readTime(line.timestamp);
        step.events.push(...this.#convertLine(line).map((event) => ({ atMs, ...event })));
      }
    }
    const text = "Claude Code compacted here; its summary is not in the file.";
    if (this.#compaction !== null)
      this.#latest?.events.push({ type: "note", kind: "info", text, atMs: null });
  }

  /** Each line of an answer holds one block; the last has the complete usage. */
  #answer(lines: readonly ClaudeLine[], isInterrupted: boolean): ForeignEvent[] {
    const [first] = lines;
    const last = lines.at(-1);
    if (!first || !last) return [];
    const model = first.message?.model ?? "unknown";
    const blocks = lines.flatMap(({ message }) =>
      answerBlocks(message?.content, this.session.skipped),
    );
    const content = [...new Map(blocks.map((block) => [JSON.stringify(block), block])).values()];
    if (first.isApiErrorMessage === true || model === "<synthetic>")
      return [
        { type: "note", kind: "error", text: blockText(content), atMs: readTime(first.timestamp) },
      ];
    const usages = lines.map(({ message }) => readUsage(message?.usage));
    const usage = usages.reduce((most, next) => (next.output >= most.output ? next : most));
    const ended = lines.findLast(({ message }) => message?.stop_reason)?.message?.stop_reason;
    const calls = content.some((block) => block.type === "tool_use");
    const stop = isInterrupted && !ended && !calls ? "interrupted" : stops.safeParse(ended).data;
    return [{ type: "answer", content, model, usage, stop, atMs: readTime(last.timestamp) }];
  }

  #convertLine(line: ClaudeLine): Untimed[] {
    if (line.isCompactSummary === true) return [this.#summary(line)];
    switch (line.type) {
      case "user":
        return this.#user(line);
      case "system":
        return this.#system(line);
      case "attachment":
        return this.#attachment(line);
      default:
        return this.#skip(line.type);
    }
  }

  #skip(kind: string): [] {
    this.session.skipped.add(kind);
    return [];
  }

  #user(line: ClaudeLine): Untimed[] {
    const { skipped } = this.session;
    const words: unknown[] = [];
    const events: Untimed[] = [];
    for (const block of rawBlocks(line)) {
      const { tool_use_id: call, content } = block;
      if (block["type"] !== "tool_result") words.push(block);
      else
        events.push({
          type: "result",
          call: typeof call === "string" ? call : "",
          content: contentBlocks(content, skipped),
          isError: block["is_error"] === true,
        });
    }
    const text = line.message?.content;
    const said = contentBlocks(typeof text === "string" ? text : words, skipped);
    return [...events, ...this.#words(line, said)];
  }

  #words({ isMeta }: ClaudeLine, said: UserBlock[]): Untimed[] {
    if (said.length === 0) return [];
    const event = readWords(said, marks);
    return event.type === "user" && isMeta === true
      ? [{ type: "context", kind: "reminder", title: "reminder", content: said }]
      : [event];
  }

  #summary({ message }: ClaudeLine): Untimed {
    const meta = this.#compaction?.compactMetadata ?? null;
    this.#compaction = null;
    return {
      type: "summary",
      text: blockText(contentBlocks(message?.content, this.session.skipped)),
      trigger: meta?.trigger === "manual" ? "command" : "auto",
      tokensBefore: meta?.preTokens ?? 0,
      tokensAfter: meta?.postTokens ?? null,
      kept: this.steps.find(meta?.preservedSegment?.headUuid),
    };
  }

  #system(line: ClaudeLine): Untimed[] {
    const meta = line.microcompactMetadata;
    if (line.subtype === "compact_boundary") {
      this.#compaction = line;
      return [];
    }
    if (line.subtype !== "microcompact_boundary" || meta === null)
      return this.#skip(`system ${line.subtype ?? ""}`);
    const before = Math.max(0, meta.preTokens ?? 0);
    return [
      {
        type: "cleared",
        calls: meta.compactedToolIds ?? [],
        text: "[Claude Code cleared this old result.]",
        reason: "Claude Code cleared old results here.",
        tokens: [before, Math.max(0, before - (meta.tokensSaved ?? 0))],
      },
    ];
  }

  /** Keeps messages typed while the agent worked and files that the user attached; skips the rest. */
  #attachment(line: ClaudeLine): Untimed[] {
    const { type = "", prompt, content, filename } = line.attachment ?? {};
    if (type === "queued_command") {
      const said = this.#words(line, contentBlocks(prompt, this.session.skipped));
      if (said.length > 0) return said;
    }
    const file = type === "file" && isRecord(content) ? content["file"] : null;
    const text = isRecord(file) ? file["content"] : null;
    if (typeof text !== "string") return this.#skip(`attachment ${type}`);
    const title = cleanLine(filename ?? "", 200) || "file";
    const block = { type: "text" as const, text: text.toWellFormed() };
    return [{ type: "context", kind: "reminder", title, content: [block] }];
  }
}

/** Usage as Anthropic's API reports it. */
function readUsage(usage: unknown): Usage {
  const written1h = readCount(usage, "cache_creation", "ephemeral_1h_input_tokens");
  return {
    input: readCount(usage, "input_tokens"),
    cacheRead: readCount(usage, "cache_read_input_tokens"),
    cacheWrite: readCount(usage, "cache_creation_input_tokens"),
    ...(written1h > 0 ? { cacheWrite1h: written1h } : {}),
    output: readCount(usage, "output_tokens"),
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
