import { plainLine } from "./json.ts";

/** Kinds that are told by name; a hostile file may have one a line. */
const mostKinds = 40;

/** What of a file is not in our log, counted by kind. */
export class Skipped {
  readonly #counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    const name = plainLine(kind, 60) || "without a name";
    const known = this.#counts.has(name) || this.#counts.size < mostKinds;
    const key = known ? name : "other kinds";
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  /** The most frequent first. */
  get kinds(): [kind: string, count: number][] {
    return [...this.#counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  }
}
