import { Column } from "../../protocol/column.ts";
import { NameTable } from "./name-table.ts";

/** Where a line is; its text is read again when it is converted. */
export type LinePlace = { offset: number; bytes: number };

/** The parent of a step at the beginning. */
export const noStep = -1;

/** The upper half of an offset is zero except in files over 4 GiB, and zeros take no memory. */
const halfOffset = 2 ** 32;

/** Unknown parents remembered per step. */
const maxNames = 100;

/** The steps of a conversation, each one or several lines of a file, and their order. A file may have a million of them. */
export class Steps {
  #length = 0;
  /** By step, the parent, from 1; 0: none. */
  readonly #parents = new Column(Uint32Array);
  /** By step: one of its lines names its parent. */
  readonly #isNamed = new Column(Uint8Array);
  /** Steps with a line; they get their first lines in order. */
  #started = 0;
  /** By step: lines before its first one that are not the first of a step. */
  readonly #extra = new Column(Uint32Array);
  /** By step, its last line, from 1; 0: it has no other than the first. */
  readonly #last = new Column(Uint32Array);
  #lines = 0;
  /** By line, where it is, in two halves, and the next of the same step. */
  readonly #offsets = new Column(Uint32Array);
  readonly #farOffsets = new Column(Uint32Array);
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

  /**
   * `name` is the id of the line, `parent` the id of the one it follows. A step gets its first line before
   * the next one begins.
   */
  addLine(
    step: number,
    { offset, bytes }: LinePlace,
    name: string | null,
    parent: string | null,
  ): void {
    const line = ++this.#lines;
    this.#offsets.set(line, offset % halfOffset);
    this.#farOffsets.set(line, Math.floor(offset / halfOffset));
    this.#bytes.set(line, bytes);
    if (step === this.#started) {
      this.#started++;
      this.#extra.set(step, line - this.#started);
    } else {
      this.#next.set(this.#last.get(step) || this.#firstOf(step), line);
      this.#last.set(step, line);
    }
    if (name !== null && !this.#byName.has(name)) this.#byName.set(name, step);
    if (parent !== null) this.#follow(step, parent);
  }

  find(name: string | null | undefined): number {
    return (typeof name === "string" ? this.#byName.get(name) : undefined) ?? noStep;
  }

  has = (name: string): boolean => this.#byName.has(name);

  lines(step: number): LinePlace[] {
    const places: LinePlace[] = [];
    for (let line = this.#firstOf(step); line !== 0; line = this.#next.get(line)) {
      const offset = this.#farOffsets.get(line) * halfOffset + this.#offsets.get(line);
      places.push({ offset, bytes: this.#bytes.get(line) });
    }
    return places;
  }

  /** From 1; 0: none. */
  #firstOf(step: number): number {
    return step < this.#started ? step + 1 + this.#extra.get(step) : 0;
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
