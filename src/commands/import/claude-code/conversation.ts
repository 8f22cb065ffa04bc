/**
 * The lines of a Claude Code session (`~/.claude/projects/<folder>/<session>.jsonl`), joined into a
 * conversation. The format is not published; the README of `import` names the sources.
 */

import { basename } from "node:path";
import { z } from "zod";
import { anything, count, flag, isRecord, maybe, text, timeOf } from "../json.ts";
import { ForeignSession, type SourceFile } from "../source.ts";
import { Steps, type Step } from "../tree.ts";

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

export type ClaudeLine = z.infer<typeof lineSchema>;

/** Whether only Claude Code writes such a line. */
export function isClaudeLine(json: unknown): boolean {
  if (!isRecord(json) || typeof json["type"] !== "string") return false;
  if (typeof json["sessionId"] === "string" || typeof json["leafUuid"] === "string") return true;
  if (json["type"] === "file-history-snapshot" && isRecord(json["snapshot"])) return true;
  return typeof json["uuid"] === "string" && "parentUuid" in json;
}

/** The content blocks of a message that are objects. */
export const rawBlocks = ({ message }: ClaudeLine): { [key: string]: unknown }[] =>
  Array.isArray(message?.content) ? message.content.filter(isRecord) : [];

/** The ids in blocks of one type: `id` of calls, `tool_use_id` of results. */
const idsIn = (line: ClaudeLine, type: string, key: string): string[] =>
  rawBlocks(line).flatMap((block) =>
    block["type"] === type && typeof block[key] === "string" ? [block[key]] : [],
  );

export const interruption = /^\[Request interrupted by user/;

/** Whether the message says that the user interrupted what it follows. */
const isInterruption = (line: ClaudeLine): boolean =>
  [line.message?.content, ...rawBlocks(line).map(({ text }) => text)].some(
    (text) => typeof text === "string" && interruption.test(text),
  );

export type ClaudeStep = Step<ClaudeLine>;

/**
 * Joins the lines of a file into steps. A step is one line, or an answer with the results of its
 * calls: each of its blocks has a line, and a result names any of these lines as its parent.
 */
export class Conversation {
  readonly session: ForeignSession;
  readonly steps = new Steps<ClaudeLine>();
  /** Steps with a message of the user or the model. */
  readonly messages = new Set<ClaudeStep>();
  /** The step that the user saw last. */
  latest: ClaudeStep | null = null;
  /** Steps that the user interrupted. */
  readonly interrupted = new Set<ClaudeStep>();
  #sessionId: string | null = null;
  #agentId: string | null = null;
  readonly #byMessage = new Map<string, ClaudeStep>();
  readonly #byCall = new Map<string, ClaudeStep>();
  #latestMs = -Infinity;
  #customTitle: string | null = null;
  #aiTitle: string | null = null;
  readonly #boundaries = new Map<ClaudeStep, ClaudeLine>();
  /** Messages that say that the user interrupted what they follow. */
  readonly #interruptions: ClaudeStep[] = [];
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
    steps.addLine(step, line, line.uuid, line.parentUuid);
    if (line.subtype === "compact_boundary") this.#boundaries.set(step, line);
    if (line.type !== "user" && line.type !== "assistant") return;
    session.hasConversation = true;
    if (line.type === "user" && isInterruption(line)) this.#interruptions.push(step);
    const atMs = timeOf(line.timestamp);
    if (atMs !== null) session.startedMs = Math.min(session.startedMs ?? atMs, atMs);
    if (line.isMeta === true) return;
    this.messages.add(step);
    if ((atMs ?? -Infinity) < this.#latestMs) return;
    this.latest = step;
    this.#latestMs = atMs ?? this.#latestMs;
  }

  #stepFor(line: ClaudeLine): ClaudeStep {
    const { all } = this.steps;
    const message = line.type === "assistant" ? (line.message?.id ?? null) : null;
    let step = message === null ? undefined : this.#byMessage.get(message);
    if (line.type === "user")
      for (const id of idsIn(line, "tool_result", "tool_use_id")) step ??= this.#byCall.get(id);
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
      for (const id of idsIn(line, "tool_use", "id")) this.#byCall.set(id, step);
    return step;
  }

  #finish(fileName: string): void {
    const { session, steps, interrupted } = this;
    const id = this.#sessionId || fileName;
    session.id = session.isSubagent ? `${id}/${this.#agentId ?? fileName}` : id;
    steps.link();
    for (const { parent } of this.#interruptions) if (parent) interrupted.add(parent);
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
    const positionOf = (id: string | null | undefined): number => {
      const step = steps.find(id);
      return (step && positions.get(step)) ?? -1;
    };
    /** By the last step that was kept, the position of the summary. */
    const summaries = new Map<ClaudeStep, number>();
    for (const [position, step] of all.entries()) {
      const summary = step.parent && summaries.get(step.parent);
      if (typeof summary === "number" && summary < position)
        step.parent = all[summary] ?? step.parent;
      const boundary = this.#boundaries.get(step);
      if (!boundary || steps.namedParent(step)) continue;
      const kept = boundary.compactMetadata?.preservedSegment;
      const tail = positionOf(kept?.tailUuid);
      const follows = [positionOf(boundary.logicalParentUuid), tail].filter((at) => at < position);
      const before = Math.max(-1, ...follows);
      step.parent = all[before === -1 ? position - 1 : before] ?? null;
      const [last, anchor] = [all[tail], positionOf(kept?.anchorUuid)];
      if (last && tail < position && anchor > position) summaries.set(last, anchor);
    }
  }
}
