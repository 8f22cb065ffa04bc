/** The order of a conversation whose lines name the line that they follow. */

import type { EntryOrigin, EntryWriter } from "./entry-writer.ts";

/** One or several lines of a file that belong together. */
export type Step<Line> = {
  readonly lines: Line[];
  parent: Step<Line> | null;
  /** The lines that its own lines say they follow. */
  readonly parentIds: Set<string>;
};

/** Parents remembered per step; a hostile file may name millions. */
const maxParentIds = 100;

/** The steps of a conversation, in the order of the file. */
export class Steps<Line> {
  readonly all: Step<Line>[] = [];
  readonly #byId = new Map<string, Step<Line>>();

  /** A new step. It follows `parent`, unless one of its lines names another that exists. */
  begin(parent: Step<Line> | null): Step<Line> {
    const step = { lines: [], parent, parentIds: new Set<string>() };
    this.all.push(step);
    return step;
  }

  addLine(step: Step<Line>, line: Line, id: string | null, parentId: string | null): void {
    step.lines.push(line);
    if (id !== null && !this.#byId.has(id)) this.#byId.set(id, step);
    if (parentId !== null && step.parentIds.size < maxParentIds) step.parentIds.add(parentId);
  }

  find(id: string | null | undefined): Step<Line> | undefined {
    return typeof id === "string" ? this.#byId.get(id) : undefined;
  }

  /** The step that one of its lines says it follows, if that exists. */
  namedParent(step: Step<Line>): Step<Line> | undefined {
    for (const id of step.parentIds) {
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
export type Branch<Line> = { fork: Step<Line> | null; steps: Step<Line>[] };

/**
 * Every branch, from where it forks from an earlier one, in the order of their tips. The one with
 * `main` comes last and so becomes the log's head. Each step occurs once, after its parent.
 */
export function branchesOf<Line>(
  steps: readonly Step<Line>[],
  main: Step<Line> | null,
): Branch<Line>[] {
  breakCycles(steps);
  const latestChild = new Map<Step<Line>, Step<Line>>();
  for (const step of steps) if (step.parent) latestChild.set(step.parent, step);
  let last = main;
  for (let next = main; next; next = latestChild.get(next) ?? null) last = next;
  const tips = steps.filter((step) => !latestChild.has(step) && step !== last);
  const taken = new Set<Step<Line>>();
  return [...tips, ...(last ? [last] : [])].map((tip) => {
    const branch: Step<Line>[] = [];
    let at: Step<Line> | null = tip;
    for (; at && !taken.has(at); at = at.parent) {
      taken.add(at);
      branch.push(at);
    }
    return { fork: at, steps: branch.reverse() };
  });
}

/** Removes the last link of every cycle. */
function breakCycles<Line>(steps: readonly Step<Line>[]): void {
  /** For each step, the start of the walk that reached it first. */
  const seenFrom = new Map<Step<Line>, Step<Line>>();
  for (const start of steps) {
    for (let at: Step<Line> | null = start; at && !seenFrom.has(at); at = at.parent) {
      seenFrom.set(at, start);
      if (at.parent && seenFrom.get(at.parent) === start) at.parent = null;
    }
  }
}

/** Finds where a step begins in the log; null before it was converted. */
export type FindOrigin<Line> = (step: Step<Line> | undefined) => EntryOrigin | null;

/**
 * Converts every branch, the one with `main` last. `begin` gets each branch and returns the function
 * that converts its steps.
 */
export function convertBranches<Line>(
  steps: readonly Step<Line>[],
  main: Step<Line> | null,
  writer: EntryWriter,
  begin: (branch: Branch<Line>, findOrigin: FindOrigin<Line>) => (step: Step<Line>) => void,
): void {
  const root = writer.place;
  /** The log position after each step. */
  const after = new Map<Step<Line>, EntryOrigin>();
  const placeAfter = (step: Step<Line> | null): EntryOrigin =>
    (step ? after.get(step) : undefined) ?? root;
  const findOrigin = (step: Step<Line> | undefined): EntryOrigin | null =>
    step && after.has(step) ? placeAfter(step.parent) : null;
  for (const branch of branchesOf(steps, main)) {
    writer.goTo(placeAfter(branch.fork));
    const convert = begin(branch, findOrigin);
    for (const step of branch.steps) {
      convert(step);
      after.set(step, writer.place);
    }
  }
}
