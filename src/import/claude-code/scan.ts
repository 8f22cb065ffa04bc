import type { SourceFile } from "../source-file.ts";
import { parseJson, timeOf } from "../json.ts";
import { LeftOut } from "../left-out.ts";
import { idsIn, isInTree, lineSchema, type ClaudeLine } from "./line.ts";

/** Where a line is; its text is read again when it is told. */
export type LinePlace = { offset: number; bytes: number };

/**
 * A step of the conversation: a line, or an answer, whose blocks stand on a line each, with the
 * results of its calls, which name any of those lines as their parent.
 */
export type Step = {
  lines: LinePlace[];
  /** Whom its lines name as parents. */
  parents: string[];
  /** It follows this step when none of its parents is there; -1: it begins a tree. */
  otherwise: number;
  parent: number;
  atMs: number | null;
  speaks: boolean;
};

export type Scan = {
  steps: Step[];
  /** The step that a line belongs to, by the line's uuid. */
  byUuid: Map<string, number>;
  leftOut: LeftOut;
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
    steps: [],
    byUuid: new Map(),
    leftOut: new LeftOut(),
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
  const end = file.eachLine({
    line: ({ text, offset, bytes }) => {
      if (text.trim() === "") return;
      if (!work.take(text, { offset, bytes })) found.leftOut.add("lines that are no JSON");
    },
    tooLong: () => found.leftOut.add("lines of more than 64 MB"),
  });
  found.bytes = end.bytes;
  if (end.rest !== null && end.rest.text.trim() !== "") {
    if (work.take(end.rest.text, end.rest)) found.bytes += end.rest.bytes;
    else found.leftOut.add("half a line at the end");
  }
  work.link();
  return found;
}

/** Titles by how much they are worth. */
const titleRanks = { summary: 1, ai: 2, custom: 3 };

/** A compaction: what it comes behind, and what was kept beside its summary, the `anchor`. */
type Boundary = {
  index: number;
  after: string | null;
  kept: { anchorUuid: string | null; tailUuid: string | null } | null;
};

class Work {
  readonly #found: Scan;
  readonly #byMessage = new Map<string, number>();
  readonly #byCall = new Map<string, number>();
  #decidedSidechain = false;
  #titleRank = 0;
  readonly #boundaries: Boundary[] = [];
  /** Titles of whole conversations name the line that they speak of; it may be another file's. */
  readonly #summaries: { leaf: string; text: string }[] = [];

  constructor(found: Scan) {
    this.#found = found;
  }

  take(text: string, place: LinePlace): boolean {
    const json = parseJson(text);
    if (json === undefined) return false;
    const parsed = lineSchema.safeParse(json);
    if (!parsed.success) {
      this.#found.leftOut.add("lines without a type");
      return true;
    }
    const line = parsed.data;
    this.#head(line);
    if (!isInTree(line)) this.#beside(line);
    else this.#grow(line, { offset: place.offset, bytes: place.bytes });
    return true;
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
    if (line.uuid !== null && found.byUuid.has(line.uuid)) {
      found.leftOut.add("lines that are there twice");
      return;
    }
    const speaks = line.type === "user" || line.type === "assistant";
    found.hasConversation ||= speaks;
    const step = this.#stepOf(line);
    const atMs = timeOf(line.timestamp);
    step.lines.push(place);
    step.speaks ||= speaks && line.isMeta !== true;
    if (atMs !== null) step.atMs = Math.max(step.atMs ?? atMs, atMs);
    if (speaks && atMs !== null) found.startedMs = Math.min(found.startedMs ?? atMs, atMs);
    if (line.parentUuid !== null && step.parents.length < 1_000) step.parents.push(line.parentUuid);
    if (line.subtype === "compact_boundary") {
      const kept = line.compactMetadata?.preservedSegment ?? null;
      const index = found.steps.length - 1;
      this.#boundaries.push({ index, after: line.logicalParentUuid, kept });
    }
  }

  #stepOf(line: ClaudeLine): Step {
    const { steps, byUuid } = this.#found;
    const message = line.type === "assistant" ? (line.message?.id ?? null) : null;
    const answered = idsIn(line, "tool_result", "tool_use_id");
    let index = message === null ? undefined : this.#byMessage.get(message);
    if (line.type === "user") {
      for (const id of answered) index ??= this.#byCall.get(id);
    }
    let step = index === undefined ? undefined : steps[index];
    if (index === undefined || step === undefined) {
      index = steps.length;
      // A boundary of a compaction begins a tree of its own, and follows what it compacted.
      const follows =
        line.parentUuid !== null ||
        line.subtype === "compact_boundary" ||
        line.isCompactSummary === true ||
        line.uuid === null;
      step = {
        lines: [],
        parents: [],
        otherwise: follows ? index - 1 : -1,
        parent: -1,
        atMs: null,
        speaks: false,
      };
      steps.push(step);
    }
    if (message !== null) this.#byMessage.set(message, index);
    if (line.uuid !== null) byUuid.set(line.uuid, index);
    if (line.type === "assistant")
      for (const id of idsIn(line, "tool_use", "id")) this.#byCall.set(id, index);
    return step;
  }

  /** Parents are known once all lines are. */
  link(): void {
    const { steps, byUuid } = this.#found;
    for (const [index, step] of steps.entries()) {
      const parent = step.parents
        .map((uuid) => byUuid.get(uuid))
        .find((one) => one !== undefined && one !== index);
      step.parent = parent ?? step.otherwise;
    }
    this.#linkBoundaries();
    const own = this.#summaries.findLast(({ leaf }) => byUuid.has(leaf));
    if (own) this.#title(own.text, titleRanks.summary);
    const others = this.#summaries.filter(({ leaf }) => !byUuid.has(leaf)).length;
    if (others > 0) this.#found.leftOut.add("titles of other sessions", others);
  }
  /**
   * A boundary begins a tree of its own; it comes behind what it compacted. The line that it names
   * may have been written anew behind it, and then the one before it in the file is meant. What goes
   * on behind the last line that was kept goes on behind the summary, for us.
   */
  #linkBoundaries(): void {
    const { steps, byUuid } = this.#found;
    const boundaries = new Map(this.#boundaries.map((one) => [one.index, one]));
    const anchors = new Map<number, number>();
    for (const [index, step] of steps.entries()) {
      const anchor = anchors.get(step.parent);
      if (anchor !== undefined && anchor < index) step.parent = anchor;
      const boundary = boundaries.get(index);
      if (!boundary || step.parents.length > 0) continue;
      const before = byUuid.get(boundary.after ?? "") ?? index;
      step.parent = before < index ? before : index - 1;
      const tail = byUuid.get(boundary.kept?.tailUuid ?? "") ?? index;
      const kept = byUuid.get(boundary.kept?.anchorUuid ?? "") ?? -1;
      if (tail < index && kept > index) anchors.set(tail, kept);
    }
  }
}
