import { basename } from "node:path";
import type { LinePlace, SourceFile } from "../source-file.ts";
import { Column } from "../../../protocol/column.ts";
import type { EntryOrigin } from "../entry-writer.ts";
import { timeOf } from "../json.ts";
import { NameTable } from "../name-table.ts";
import { Findings } from "../source.ts";
import { noStep, Steps } from "../steps.ts";
import { idsIn, isInterruption, isInTree, lineSchema, type ClaudeLine } from "./line.ts";

/** A compaction: the line it follows, and what was kept verbatim after its summary, the `anchor`. */
type Boundary = {
  step: number;
  after: string | null;
  kept: { headUuid: string | null; anchorUuid: string | null; tailUuid: string | null } | null;
};

/** What the first pass through a file finds: where each line is, and which one it follows. */
export class Scan extends Findings {
  /**
   * A step is one line, or an answer with the results of its calls: each of its blocks has a line,
   * and a result names any of these lines as its parent. Steps are found by uuid.
   */
  readonly steps = new Steps();
  readonly #messages = new Column(Uint8Array);
  /** The step that the user saw last. */
  latest = noStep;
  /** Steps at which what a summary kept verbatim begins. */
  readonly kept = new Map<number, EntryOrigin | null>();
  /** Steps that the user interrupted. */
  readonly interrupted = new Set<number>();
  #agentId: string | null = null;
  readonly #byMessage = new NameTable();
  readonly #byCall = new NameTable();
  #latestMs = -Infinity;
  /** Given by the user, and by the agent. */
  #customTitle: string | null = null;
  #aiTitle: string | null = null;
  readonly #boundaries: Boundary[] = [];
  /** Messages that say that the user interrupted what they follow. */
  readonly #interruptions: number[] = [];
  /** A title names the line that it belongs to, which may be in another file. */
  readonly #summaries: { leaf: string; text: string }[] = [];

  take(json: unknown, place: LinePlace): void {
    const parsed = lineSchema.safeParse(json);
    if (!parsed.success) return this.skipped.add("lines without a type");
    const line = parsed.data;
    this.#head(line);
    if (isInTree(line)) this.#grow(line, place);
    else this.#beside(line);
  }

  #head(line: ClaudeLine): void {
    // A session that continues in another file copies its lines; the last ones are its own.
    this.id = line.sessionId ?? this.id;
    this.#agentId ??= line.agentId;
    this.cwd ??= line.cwd;
    if (line.customTitle?.trim()) this.#customTitle = line.customTitle;
    if (line.aiTitle?.trim()) this.#aiTitle = line.aiTitle;
  }

  #beside(line: ClaudeLine): void {
    if (line.type === "summary" && line.leafUuid !== null && line.summary !== null) {
      if (this.#summaries.length < 1_000)
        this.#summaries.push({ leaf: line.leafUuid, text: line.summary });
      return;
    }
    if (line.customTitle === null && line.aiTitle === null) this.skipped.add(line.type);
  }

  #grow(line: ClaudeLine, place: LinePlace): void {
    const { steps } = this;
    const isSidechain = line.isSidechain === true;
    // The first line decides.
    if (steps.length === 0) this.isSubagent = isSidechain;
    if (isSidechain !== this.isSubagent) return this.skipped.add("lines of subagents");
    if (line.uuid !== null && steps.has(line.uuid)) return this.skipped.add("repeated lines");
    const isMessage = line.type === "user" || line.type === "assistant";
    this.hasConversation ||= isMessage;
    const step = this.#stepOf(line);
    steps.addLine(step, place, line.uuid, line.parentUuid);
    const atMs = timeOf(line.timestamp);
    if (isMessage && atMs !== null) this.startedMs = Math.min(this.startedMs ?? atMs, atMs);
    if (isMessage && line.isMeta !== true) this.#speak(step, atMs);
    if (line.type === "user" && isInterruption(line)) this.#interruptions.push(step);
    if (line.subtype === "compact_boundary") {
      const kept = line.compactMetadata?.preservedSegment ?? null;
      this.#boundaries.push({ step, after: line.logicalParentUuid, kept });
    }
  }

  #speak(step: number, atMs: number | null): void {
    this.#messages.set(step, 1);
    if ((atMs ?? -Infinity) < this.#latestMs) return;
    this.latest = step;
    this.#latestMs = atMs ?? this.#latestMs;
  }

  #stepOf(line: ClaudeLine): number {
    const { steps } = this;
    const message = line.type === "assistant" ? (line.message?.id ?? null) : null;
    let step = message === null ? undefined : this.#byMessage.get(message);
    if (line.type === "user") {
      for (const id of idsIn(line, "tool_result", "tool_use_id")) step ??= this.#byCall.get(id);
    }
    if (step === undefined) {
      // The boundary of a compaction starts a new tree, and follows what it compacted.
      const follows =
        line.parentUuid !== null ||
        line.subtype === "compact_boundary" ||
        line.isCompactSummary === true ||
        line.uuid === null;
      step = steps.begin(follows ? steps.length - 1 : noStep);
    }
    if (message !== null) this.#byMessage.set(message, step);
    if (line.type === "assistant")
      for (const id of idsIn(line, "tool_use", "id")) this.#byCall.set(id, step);
    return step;
  }

  /** The step has a message of the user or the model. */
  isMessage = (step: number): boolean => this.#messages.get(step) === 1;

  /** Call it once all lines are known. */
  link({ path }: SourceFile): void {
    const { steps, isSubagent, interrupted } = this;
    if (isSubagent) this.id = `${this.id ?? basename(path)}/${this.#agentId ?? basename(path)}`;
    steps.link();
    for (const step of this.#interruptions) interrupted.add(steps.parentOf(step));
    this.#linkBoundaries();
    const own = this.#summaries.filter(({ leaf }) => steps.has(leaf));
    const summary = own.at(-1)?.text ?? "";
    this.title = this.#customTitle ?? this.#aiTitle ?? (summary.trim() === "" ? null : summary);
    const others = this.#summaries.length - own.length;
    if (others > 0) this.skipped.add("titles of other sessions", others);
  }

  /**
   * A boundary starts a new tree, but follows what it compacted: the last line that was summarized
   * or kept. That line may have been written again after the boundary; then the line before the
   * boundary in the file is meant. Whatever follows the last line that was kept follows the summary
   * here.
   */
  #linkBoundaries(): void {
    const { steps, kept } = this;
    const boundaries = new Map(this.#boundaries.map((one) => [one.step, one]));
    const anchors = new Map<number, number>();
    for (let step = 0; step < steps.length; step++) {
      const moved = anchors.get(steps.parentOf(step));
      if (moved !== undefined && moved < step) steps.setParent(step, moved);
      const boundary = boundaries.get(step);
      if (!boundary || steps.isNamed(step)) continue;
      const tail = steps.find(boundary.kept?.tailUuid);
      const earlier = [steps.find(boundary.after), tail].filter((one) => one < step);
      const before = Math.max(noStep, ...earlier);
      steps.setParent(step, before === noStep ? step - 1 : before);
      kept.set(steps.find(boundary.kept?.headUuid), null);
      const anchor = steps.find(boundary.kept?.anchorUuid);
      if (tail !== noStep && tail < step && anchor > step) anchors.set(tail, anchor);
    }
  }
}
