/** The common shape into which every reader brings a session: steps that follow one another. */

import type { AssistantBlock, ResultBlock, UserBlock } from "../../protocol/block.ts";
import type { ContextFact, NoteFact, Trigger } from "../../protocol/entry.ts";
import type { Stop, Usage } from "../../protocol/model.ts";

/** An event of another agent's session, without its time. Ids are those of its file. */
export type Untimed =
  | { type: "user"; content: UserBlock[] }
  | { type: "context"; kind: ContextFact["kind"]; title: string; content: UserBlock[] }
  | {
      type: "answer";
      content: AssistantBlock[];
      model: string | null;
      usage: Usage;
      /** Absent: derived from whether it calls tools. */
      stop?: Stop | undefined;
    }
  | {
      type: "result";
      call: string;
      content: ResultBlock[];
      isError: boolean;
      /** The tool, when the call is missing. */
      tool?: string;
    }
  | {
      type: "summary";
      text: string;
      trigger: Trigger;
      tokensBefore: number;
      tokensAfter?: number | null;
      /** The first step that was kept; absent: everything before is covered. */
      kept?: ForeignStep | undefined;
    }
  | { type: "cleared"; calls: string[]; text: string; reason: string; tokens: [number, number] }
  | { type: "model"; model: string }
  | { type: "note"; kind: NoteFact["kind"]; text: string };

/** `atMs`: milliseconds since the epoch; null: the time of the event before. */
export type ForeignEvent = { atMs: number | null } & Untimed;

/** Events that belong together, and the step they follow. */
export type ForeignStep = { parent: ForeignStep | null; readonly events: ForeignEvent[] };

/** Parents remembered per step; a hostile file may name millions. */
const maxParentIds = 100;

/** The steps of a file whose lines name the line that they follow. */
export class StepIndex {
  /** In the order of the file. */
  readonly all: ForeignStep[] = [];
  readonly #byId = new Map<string, ForeignStep>();
  readonly #parentIds = new Map<ForeignStep, Set<string>>();

  /** A new step. It follows `parent`, unless one of its lines names another that exists. */
  begin(parent: ForeignStep | null): ForeignStep {
    const step = { parent, events: [] };
    this.all.push(step);
    this.#parentIds.set(step, new Set());
    return step;
  }

  addLine(step: ForeignStep, id: string | null, parentId: string | null): void {
    if (id !== null && !this.#byId.has(id)) this.#byId.set(id, step);
    const ids = this.#parentIds.get(step);
    if (parentId !== null && ids && ids.size < maxParentIds) ids.add(parentId);
  }

  find(id: string | null | undefined): ForeignStep | undefined {
    return typeof id === "string" ? this.#byId.get(id) : undefined;
  }

  /** The step that one of its lines says it follows, if that exists. */
  namedParent(step: ForeignStep): ForeignStep | undefined {
    for (const id of this.#parentIds.get(step) ?? []) {
      const parent = this.find(id);
      if (parent && parent !== step) return parent;
    }
    return undefined;
  }

  /** Resolves the parents, which may come later in the file. Call it once all lines are known. */
  link(): void {
    for (const step of this.all) step.parent = this.namedParent(step) ?? step.parent;
  }
}

/** Consecutive steps; `fork` is the step of an earlier branch that the first one follows. */
type ForeignBranch = { fork: ForeignStep | null; steps: ForeignStep[] };

/**
 * Every branch, from where it forks from an earlier one, in the order of their tips. The one with
 * `main` comes last and so becomes the log's head. Each step occurs once, after its parent.
 */
export function findBranches(
  steps: readonly ForeignStep[],
  main: ForeignStep | null,
): ForeignBranch[] {
  breakCycles(steps);
  const latestChild = new Map<ForeignStep, ForeignStep>();
  for (const step of steps) if (step.parent) latestChild.set(step.parent, step);
  let last = main;
  for (let next = main; next; next = latestChild.get(next) ?? null) last = next;
  const tips = steps.filter((step) => !latestChild.has(step) && step !== last);
  const taken = new Set<ForeignStep>();
  return [...tips, ...(last ? [last] : [])].map((tip) => {
    const branch: ForeignStep[] = [];
    let at: ForeignStep | null = tip;
    for (; at && !taken.has(at); at = at.parent) {
      taken.add(at);
      branch.push(at);
    }
    return { fork: at, steps: branch.reverse() };
  });
}

/** Removes the last link of every cycle. */
function breakCycles(steps: readonly ForeignStep[]): void {
  /** For each step, the start of the walk that reached it first. */
  const seenFrom = new Map<ForeignStep, ForeignStep>();
  for (const start of steps) {
    for (let at: ForeignStep | null = start; at && !seenFrom.has(at); at = at.parent) {
      seenFrom.set(at, start);
      if (at.parent && seenFrom.get(at.parent) === start) at.parent = null;
    }
  }
}
