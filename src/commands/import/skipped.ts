import { cleanLine } from "./json.ts";

/** Kinds listed by name; a hostile file may have a new one on every line. */
const maxKinds = 40;

/** Counts by kind what is not imported from a file. */
export class Skipped {
  readonly #counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    const name = cleanLine(kind, 60) || "unnamed";
    const known = this.#counts.has(name) || this.#counts.size < maxKinds;
    const key = known ? name : "other kinds";
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  /** Most frequent first. */
  get kinds(): [kind: string, count: number][] {
    return [...this.#counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  }
}

/** The first `most` kinds with their counts, and the sum of the others; empty without any. */
export function formatKinds(kinds: readonly [kind: string, count: number][], most: number): string {
  const named = kinds.slice(0, most).map(([kind, count]) => `${count} ${kind}`);
  const rest = kinds.slice(most).reduce((sum, [, count]) => sum + count, 0);
  return [...named, ...(rest > 0 ? [`${rest} of other kinds`] : [])].join(", ");
}
