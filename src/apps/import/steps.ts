import { NameTable } from "./name-table.ts";

/** Where a line is; its text is read again when it is converted. */
export type LinePlace = { offset: number; bytes: number };

/** The parent of a step at the beginning. */
export const noStep = -1;

/** Unknown parents remembered per step. */
const maxNames = 100;

/**
 * The steps of a conversation, each one or several lines of a file, and their order. A file may have a
 * million of them: what all of them have is in lists of numbers, which take a fraction of objects.
 */
export class Steps {
  readonly #parents: number[] = [];
  /** A line of the step names its parent. */
  readonly #isNamed: boolean[] = [];
  /** The first line of each step; 0 bytes: it has none yet. */
  readonly #offsets: number[] = [];
  readonly #bytes: number[] = [];
  /** The lines after it, of steps that have them. */
  readonly #more = new Map<number, LinePlace[]>();
  readonly #byName = new NameTable();
  /** Parents that come later in the file, or not at all. */
  readonly #unknown = new Map<number, string[]>();

  get length(): number {
    return this.#parents.length;
  }

  /** A new step. It follows `parent`, unless one of its lines names another that exists. */
  begin(parent: number): number {
    this.#isNamed.push(false);
    this.#offsets.push(0);
    this.#bytes.push(0);
    return this.#parents.push(parent) - 1;
  }

  /** `name` is the id of the line, `parent` the id of the one it follows. */
  addLine(
    step: number,
    { offset, bytes }: LinePlace,
    name: string | null,
    parent: string | null,
  ): void {
    const more = this.#more.get(step);
    if (more) more.push({ offset, bytes });
    else if (this.#bytes[step] !== 0) this.#more.set(step, [{ offset, bytes }]);
    else {
      this.#offsets[step] = offset;
      this.#bytes[step] = bytes;
    }
    if (name !== null && !this.#byName.has(name)) this.#byName.set(name, step);
    if (parent !== null) this.#follow(step, parent);
  }

  find(name: string | null | undefined): number {
    return (typeof name === "string" ? this.#byName.get(name) : undefined) ?? noStep;
  }

  has = (name: string): boolean => this.#byName.has(name);

  lines(step: number): LinePlace[] {
    const [offset = 0, bytes = 0] = [this.#offsets[step], this.#bytes[step]];
    return bytes === 0 ? [] : [{ offset, bytes }, ...(this.#more.get(step) ?? [])];
  }

  parentOf = (step: number): number => this.#parents[step] ?? noStep;

  isNamed = (step: number): boolean => this.#isNamed[step] === true;

  setParent(step: number, parent: number): void {
    if (step in this.#parents) this.#parents[step] = parent;
  }

  /** To be called once all lines are known: resolves parents that came later. */
  link(): void {
    for (const [step, names] of this.#unknown) for (const name of names) this.#follow(step, name);
    this.#unknown.clear();
  }

  #follow(step: number, name: string): void {
    const parent = this.find(name);
    if (this.isNamed(step) || parent === step) return;
    if (parent !== noStep) {
      this.#parents[step] = parent;
      this.#isNamed[step] = true;
      return;
    }
    const names = this.#unknown.get(step) ?? [];
    if (names.length < maxNames && !names.includes(name)) names.push(name);
    this.#unknown.set(step, names);
  }
}
