/** About fifty screens. Above this, lines of items that were not shown lately are dropped. */
const maxLines = 2_000;

/** A search may visit all items at once. */
const maxItems = 2_000;

type Kept = { readonly stamp: string; readonly lines: readonly string[] };

/** The lines of items that were shown lately, by the items' keys. */
export class KeptLines {
  #kept = new Map<string, Kept>();
  /** The previous generation: lines that are shown again move back to the current one. */
  #before = new Map<string, Kept>();
  #lines = 0;

  /** `stamp`: what the lines depend on. */
  get(key: string, stamp: string): readonly string[] | undefined {
    const known = this.#kept.get(key) ?? this.#before.get(key);
    if (known?.stamp !== stamp) return undefined;
    if (!this.#kept.has(key)) this.set(key, known);
    return known.lines;
  }

  set(key: string, kept: Kept): void {
    if (this.#kept.size >= maxItems) this.#turn();
    this.#kept.set(key, kept);
    this.#lines += kept.lines.length;
  }

  /**
   * Call this before items are shown: those that are shown together are kept together, however many
   * lines they have.
   */
  begin(): void {
    if (this.#lines > maxLines) this.#turn();
  }

  #turn(): void {
    this.#before = this.#kept;
    this.#kept = new Map();
    this.#lines = 0;
  }
}
