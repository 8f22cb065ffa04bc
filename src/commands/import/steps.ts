import { Column } from "../../protocol/column.ts";
import { Branches, type Branch } from "./branches.ts";
import type { EntryOrigin, EntryWriter } from "./entry-writer.ts";
import { NameTable } from "./name-table.ts";
import type { LinePlace } from "./source-file.ts";

/** The parent of a step at the beginning. */
export const noStep = -1;

/** Unknown parents remembered per step. */
const maxNames = 100;

/** The steps of a conversation, each one or several lines of a file, and their order. A file may have a million of them. */
export class Steps {
  #length = 0;
  /** By step, the parent, from 1; 0: none. */
  readonly #parents = new Column(Uint32Array);
  /** By step: one of its lines names its parent. */
  readonly #isNamed = new Column(Uint8Array);
  /** By step, its first and its last line, from 1; 0: it has none yet. */
  readonly #first = new Column(Uint32Array);
  readonly #last = new Column(Uint32Array);
  #lines = 0;
  /** By line, where it is, and the next one of the same step. */
  readonly #offsets = new Column(Float64Array);
  readonly #bytes = new Column(Uint32Array);
  readonly #next = new Column(Uint32Array);
  readonly #byName = new NameTable();
  /** Parents that come later in the file, or not at all. */
  readonly #unknown = new Map<number, string[]>();

  get length(): number {
    return this.#length;
  }

  /** A new step. It follows `parent`, unless one of its lines names another that exists. */
  begin(parent: number): number {
    this.#parents.set(this.#length, parent + 1);
    return this.#length++;
  }

  /** `name` is the id of the line, `parent` the id of the one it follows. */
  addLine(
    step: number,
    { offset, bytes }: LinePlace,
    name: string | null,
    parent: string | null,
  ): void {
    const line = ++this.#lines;
    this.#offsets.set(line, offset);
    this.#bytes.set(line, bytes);
    const last = this.#last.get(step);
    if (last === 0) this.#first.set(step, line);
    else this.#next.set(last, line);
    this.#last.set(step, line);
    if (name !== null && !this.#byName.has(name)) this.#byName.set(name, step);
    if (parent !== null) this.#follow(step, parent);
  }

  find(name: string | null | undefined): number {
    return (typeof name === "string" ? this.#byName.get(name) : undefined) ?? noStep;
  }

  has = (name: string): boolean => this.#byName.has(name);

  lines(step: number): LinePlace[] {
    const places: LinePlace[] = [];
    for (let line = this.#first.get(step); line !== 0; line = this.#next.get(line))
      places.push({ offset: this.#offsets.get(line), bytes: this.#bytes.get(line) });
    return places;
  }

  parentOf = (step: number): number => this.#parents.get(step) - 1;

  isNamed = (step: number): boolean => this.#isNamed.get(step) === 1;

  setParent(step: number, parent: number): void {
    if (step >= 0 && step < this.#length) this.#parents.set(step, parent + 1);
  }

  /** Resolves parents that came later. Call it once all lines are known. */
  link(): void {
    for (const [step, names] of this.#unknown) for (const name of names) this.#follow(step, name);
    this.#unknown.clear();
  }

  #follow(step: number, name: string): void {
    const parent = this.find(name);
    if (this.isNamed(step) || parent === step) return;
    if (parent !== noStep) {
      this.setParent(step, parent);
      this.#isNamed.set(step, 1);
      return;
    }
    const names = this.#unknown.get(step) ?? [];
    if (names.length < maxNames && !names.includes(name)) names.push(name);
    this.#unknown.set(step, names);
  }
}

/**
 * Converts every branch of the conversation, the one with `main` last: `begin` gets each and returns
 * what converts its steps; it learns whether another branch begins at the step. In `kept`, a step's
 * position in the log is noted before it is converted.
 */
export function convertBranches(
  steps: Steps,
  main: number,
  kept: Map<number, EntryOrigin | null>,
  writer: EntryWriter,
  begin: (branch: Branch) => (step: number, isFork: boolean) => void,
): void {
  const root = writer.place;
  const branches = new Branches(steps.length, steps.parentOf, main);
  /** The log position after a step where branches part. */
  const after = new Map<number, EntryOrigin>();
  for (const branch of branches) {
    const { fork, nodes } = branch;
    writer.goTo(after.get(fork) ?? root);
    if (!branches.isFork(fork)) after.delete(fork);
    const convert = begin(branch);
    for (const step of nodes) {
      if (kept.has(step)) kept.set(step, writer.place);
      const isFork = branches.isFork(step);
      convert(step, isFork);
      if (isFork) after.set(step, writer.place);
    }
  }
}
