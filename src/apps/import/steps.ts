/** Where a line is; its text is read again when it is converted. */
export type LinePlace = { offset: number; bytes: number };

/** The parent of a step at the beginning. */
export const noStep = -1;

type Step = {
  parent: number;
  /** A line of the step names its parent. */
  isNamed: boolean;
  lines: LinePlace[];
};

/** Unknown parents remembered per step. */
const maxNames = 100;

/** The steps of a conversation, each one or several lines of a file, and their order. */
export class Steps {
  readonly #steps: Step[] = [];
  readonly #byName = new Map<string, number>();
  /** Parents that come later in the file, or not at all. */
  readonly #unknown = new Map<number, string[]>();

  get length(): number {
    return this.#steps.length;
  }

  /** A new step. It follows `parent`, unless one of its lines names another that exists. */
  begin(parent: number): number {
    return this.#steps.push({ parent, isNamed: false, lines: [] }) - 1;
  }

  /** `name` is the id of the line, `parent` the id of the one it follows. */
  addLine(
    step: number,
    { offset, bytes }: LinePlace,
    name: string | null,
    parent: string | null,
  ): void {
    this.#steps[step]?.lines.push({ offset, bytes });
    if (name !== null && !this.#byName.has(name)) this.#byName.set(name, step);
    if (parent !== null) this.#follow(step, parent);
  }

  find(name: string | null | undefined): number {
    return (typeof name === "string" ? this.#byName.get(name) : undefined) ?? noStep;
  }

  has = (name: string): boolean => this.#byName.has(name);

  lines = (step: number): readonly LinePlace[] => this.#steps[step]?.lines ?? [];

  parentOf = (step: number): number => this.#steps[step]?.parent ?? noStep;

  isNamed = (step: number): boolean => this.#steps[step]?.isNamed === true;

  setParent(step: number, parent: number): void {
    const moved = this.#steps[step];
    if (moved) moved.parent = parent;
  }

  /** To be called once all lines are known: resolves parents that came later. */
  link(): void {
    for (const [step, names] of this.#unknown) for (const name of names) this.#follow(step, name);
    this.#unknown.clear();
  }

  #follow(at: number, name: string): void {
    const step = this.#steps[at];
    const parent = this.find(name);
    if (!step || step.isNamed || parent === at) return;
    if (parent !== noStep) {
      step.parent = parent;
      step.isNamed = true;
      return;
    }
    const names = this.#unknown.get(at) ?? [];
    if (names.length < maxNames && !names.includes(name)) names.push(name);
    this.#unknown.set(at, names);
  }
}
