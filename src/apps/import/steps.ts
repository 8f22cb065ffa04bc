import { Numbers } from "./numbers.ts";

/** Where a line is; its text is read again when it is converted. */
export type LinePlace = { offset: number; bytes: number };

/** The parent of a step at the beginning. */
export const noStep = -1;

/** Unknown parents remembered per step. */
const maxNames = 100;

/**
 * The steps of a conversation, each one or several lines of a file, and their order. A few numbers
 * per line, so that the index stays much smaller than the file.
 */
export class Steps {
  readonly #byName = new Map<string, number>();
  readonly #parents = new Numbers();
  /** 1 when a line of the step names its parent. */
  readonly #isNamed = new Numbers();
  readonly #firstLine = new Numbers();
  readonly #lastLine = new Numbers();
  readonly #offsets = new Numbers();
  readonly #sizes = new Numbers();
  readonly #nextLine = new Numbers();
  /** Parents that come later in the file, or not at all. */
  readonly #unknown = new Map<number, string[]>();

  get length(): number {
    return this.#parents.length;
  }

  /** A new step. It follows `parent`, unless one of its lines names another that exists. */
  begin(parent: number): number {
    this.#firstLine.push(noStep);
    this.#lastLine.push(noStep);
    this.#isNamed.push(0);
    return this.#parents.push(parent);
  }

  /** `name` is the id of the line, `parent` the id of the one it follows. */
  addLine(step: number, place: LinePlace, name: string | null, parent: string | null): void {
    const line = this.#offsets.push(place.offset);
    this.#sizes.push(place.bytes);
    this.#nextLine.push(noStep);
    if (this.#firstLine.at(step) === noStep) this.#firstLine.set(step, line);
    else this.#nextLine.set(this.#lastLine.at(step), line);
    this.#lastLine.set(step, line);
    if (name !== null && !this.#byName.has(name)) this.#byName.set(name, step);
    if (parent !== null && this.#isNamed.at(step) === 0) this.#follow(step, parent);
  }

  find(name: string | null | undefined): number {
    return (typeof name === "string" ? this.#byName.get(name) : undefined) ?? noStep;
  }

  has = (name: string): boolean => this.#byName.has(name);

  lines(step: number): LinePlace[] {
    const places: LinePlace[] = [];
    for (let line = this.#firstLine.at(step); line !== noStep; line = this.#nextLine.at(line))
      places.push({ offset: this.#offsets.at(line), bytes: this.#sizes.at(line) });
    return places;
  }

  parentOf = (step: number): number => this.#parents.at(step);

  isNamed = (step: number): boolean => this.#isNamed.at(step) === 1;

  setParent(step: number, parent: number): void {
    this.#parents.set(step, parent);
  }

  /** To be called once all lines are known: resolves parents that came later. */
  link(): void {
    for (const [step, names] of this.#unknown) {
      for (const name of names) if (this.#isNamed.at(step) === 0) this.#follow(step, name);
    }
    this.#unknown.clear();
  }

  #follow(step: number, name: string): void {
    const parent = this.find(name);
    if (parent === step) return;
    if (parent !== noStep) {
      this.#parents.set(step, parent);
      this.#isNamed.set(step, 1);
      return;
    }
    const names = this.#unknown.get(step) ?? [];
    if (names.length < maxNames && !names.includes(name)) names.push(name);
    this.#unknown.set(step, names);
  }
}
