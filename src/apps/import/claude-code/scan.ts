import type { SourceFile } from "../source-file.ts";
import { timeOf } from "../json.ts";
import { eachJson } from "../json-lines.ts";
import { Skipped } from "../skipped.ts";
import { Numbers } from "../numbers.ts";
import { noStep, Steps, type LinePlace } from "../steps.ts";
import { idsIn, isInTree, lineSchema, type ClaudeLine } from "./line.ts";

export type Scan = {
  /**
   * A line each, or an answer, whose blocks stand on a line each, with the results of its calls,
   * which name any of those lines as their parent. Named by their uuids.
   */
  steps: Steps;
  /** Steps of a person or a model; 1 each. */
  speaks: Numbers;
  /** The step that the person saw last. */
  latest: number;
  /** Steps that a summary left beside it, and that therefore must be found again. */
  kept: Set<number>;
  leftOut: Skipped;
  /** Bytes of whole lines. */
  bytes: number;
  sessionId: string | null;
  agentId: string | null;
  cwd: string | null;
  title: string | null;
  startedMs: number | null;
  isSidechain: boolean;
  hasConversation: boolean;
};

/** Reads the file once, and keeps of each line where it is and what it follows. */
export function scan(file: SourceFile): Scan {
  const found: Scan = {
    steps: new Steps(),
    speaks: new Numbers(),
    latest: noStep,
    kept: new Set(),
    leftOut: new Skipped(),
    bytes: 0,
    sessionId: null,
    agentId: null,
    cwd: null,
    title: null,
    startedMs: null,
    isSidechain: false,
    hasConversation: false,
  };
  const work = new Work(found);
  found.bytes = eachJson(file, found.leftOut, (json, place) => work.take(json, place));
  work.link();
  return found;
}

/** Titles by how much they are worth. */
const titleRanks = { summary: 1, ai: 2, custom: 3 };

/** A compaction: what it comes behind, and what was kept beside its summary, the `anchor`. */
type Boundary = {
  step: number;
  after: string | null;
  kept: { headUuid: string | null; anchorUuid: string | null; tailUuid: string | null } | null;
};

class Work {
  readonly #found: Scan;
  readonly #byMessage = new Map<string, number>();
  readonly #byCall = new Map<string, number>();
  #latestMs = -Infinity;
  #decidedSidechain = false;
  #titleRank = 0;
  readonly #boundaries: Boundary[] = [];
  /** Titles of whole conversations name the line that they speak of; it may be another file's. */
  readonly #summaries: { leaf: string; text: string }[] = [];

  constructor(found: Scan) {
    this.#found = found;
  }

  take(json: unknown, place: LinePlace): void {
    const parsed = lineSchema.safeParse(json);
    if (!parsed.success) return this.#found.leftOut.add("lines without a type");
    const line = parsed.data;
    this.#head(line);
    if (isInTree(line)) this.#grow(line, place);
    else this.#beside(line);
  }

  #head(line: ClaudeLine): void {
    const found = this.#found;
    // A session that goes on in another file takes its lines along; the last ones are its own.
    found.sessionId = line.sessionId ?? found.sessionId;
    found.agentId ??= line.agentId;
    found.cwd ??= line.cwd;
    if (line.customTitle !== null) this.#title(line.customTitle, titleRanks.custom);
    if (line.aiTitle !== null) this.#title(line.aiTitle, titleRanks.ai);
  }

  #title(title: string, rank: number): void {
    if (rank < this.#titleRank || title.trim() === "") return;
    this.#titleRank = rank;
    this.#found.title = title;
  }

  #beside(line: ClaudeLine): void {
    if (line.type === "summary" && line.leafUuid !== null && line.summary !== null) {
      if (this.#summaries.length < 1_000)
        this.#summaries.push({ leaf: line.leafUuid, text: line.summary });
      return;
    }
    if (line.customTitle === null && line.aiTitle === null) this.#found.leftOut.add(line.type);
  }

  #grow(line: ClaudeLine, place: LinePlace): void {
    const found = this.#found;
    const isSidechain = line.isSidechain === true;
    if (!this.#decidedSidechain) {
      this.#decidedSidechain = true;
      found.isSidechain = isSidechain;
    }
    if (isSidechain !== found.isSidechain) {
      found.leftOut.add("lines of subagents");
      return;
    }
    if (line.uuid !== null && found.steps.has(line.uuid)) {
      found.leftOut.add("lines that are there twice");
      return;
    }
    const speaks = line.type === "user" || line.type === "assistant";
    found.hasConversation ||= speaks;
    const step = this.#stepOf(line);
    found.steps.addLine(step, place, line.uuid, line.parentUuid);
    const atMs = timeOf(line.timestamp);
    if (speaks && atMs !== null) found.startedMs = Math.min(found.startedMs ?? atMs, atMs);
    if (speaks && line.isMeta !== true) this.#speak(step, atMs);
    if (line.subtype === "compact_boundary") {
      const kept = line.compactMetadata?.preservedSegment ?? null;
      this.#boundaries.push({ step, after: line.logicalParentUuid, kept });
    }
  }

  #speak(step: number, atMs: number | null): void {
    const found = this.#found;
    found.speaks.set(step, 1);
    if ((atMs ?? -Infinity) < this.#latestMs) return;
    found.latest = step;
    this.#latestMs = atMs ?? this.#latestMs;
  }

  #stepOf(line: ClaudeLine): number {
    const { steps, speaks } = this.#found;
    const message = line.type === "assistant" ? (line.message?.id ?? null) : null;
    let step = message === null ? undefined : this.#byMessage.get(message);
    if (line.type === "user") {
      for (const id of idsIn(line, "tool_result", "tool_use_id")) step ??= this.#byCall.get(id);
    }
    if (step === undefined) {
      // A boundary of a compaction begins a tree of its own, and follows what it compacted.
      const follows =
        line.parentUuid !== null ||
        line.subtype === "compact_boundary" ||
        line.isCompactSummary === true ||
        line.uuid === null;
      step = steps.begin(follows ? steps.length - 1 : noStep);
      speaks.push(0);
    }
    if (message !== null) this.#byMessage.set(message, step);
    if (line.type === "assistant")
      for (const id of idsIn(line, "tool_use", "id")) this.#byCall.set(id, step);
    return step;
  }

  /** Parents are known once all lines are. */
  link(): void {
    const { steps } = this.#found;
    steps.link();
    this.#linkBoundaries();
    const own = this.#summaries.findLast(({ leaf }) => steps.has(leaf));
    if (own) this.#title(own.text, titleRanks.summary);
    const others = this.#summaries.filter(({ leaf }) => !steps.has(leaf)).length;
    if (others > 0) this.#found.leftOut.add("titles of other sessions", others);
  }
  /**
   * A boundary begins a tree of its own; it comes behind what it compacted. The line that it names
   * may have been written anew behind it, and then the one before it in the file is meant. What goes
   * on behind the last line that was kept goes on behind the summary, for us.
   */
  #linkBoundaries(): void {
    const { steps, kept } = this.#found;
    const boundaries = new Map(this.#boundaries.map((one) => [one.step, one]));
    const anchors = new Map<number, number>();
    for (let step = 0; step < steps.length; step++) {
      const anchor = anchors.get(steps.parentOf(step));
      if (anchor !== undefined && anchor < step) steps.setParent(step, anchor);
      const boundary = boundaries.get(step);
      if (!boundary || steps.isNamed(step)) continue;
      const before = steps.find(boundary.after);
      steps.setParent(step, before !== noStep && before < step ? before : step - 1);
      kept.add(steps.find(boundary.kept?.headUuid));
      const tail = steps.find(boundary.kept?.tailUuid);
      const behind = steps.find(boundary.kept?.anchorUuid);
      if (tail !== noStep && tail < step && behind > step) anchors.set(tail, behind);
    }
  }
}
