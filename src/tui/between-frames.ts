import type { Host } from "./host.ts";
import { Memo } from "./memo.ts";

/** Rows that may be visited within a frame. */
const fewRows = 400;

/** Rows per millisecond of pause before the next pass, which bounds its share of the time. */
const rowsPerMs = 40;

/**
 * A value computed from every row. In a long history it is recomputed between frames, once for all
 * changes made during a pause that grows with the history.
 */
export class BetweenFrames<T> {
  readonly #host: Pick<Host, "view" | "redraw">;
  readonly #memo = new Memo<T>();
  #value: T | null = null;
  #due: { keys: readonly unknown[]; make: () => T } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Pick<Host, "view" | "redraw">) {
    this.#host = host;
  }

  /** The value for these keys, or the previous one until it is computed; null before the first. */
  get(keys: readonly unknown[], make: () => T): T | null {
    const rows = this.#host.view.rows.length;
    if (rows <= fewRows || this.#memo.has(keys)) return (this.#value = this.#memo.get(keys, make));
    this.#due = { keys, make };
    this.#timer ??= setTimeout(() => this.#compute(), rows / rowsPerMs);
    return this.#value;
  }

  /**
   * Delays the computation after a key press: more keys may follow, and none should wait for it.
   */
  postpone(): void {
    this.#timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #compute(): void {
    this.#timer = undefined;
    if (this.#due) this.#value = this.#memo.get(this.#due.keys, this.#due.make);
    this.#due = null;
    this.#host.redraw();
  }
}
