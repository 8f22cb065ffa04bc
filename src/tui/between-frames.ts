import type { Host } from "./host.ts";
import { Memo } from "./memo.ts";

/** Rows that may be visited within a frame. */
const fewRows = 400;

/** Rows per millisecond of pause before the next pass, which bounds its share of the time. */
const rowsPerMs = 40;

/** Milliseconds for which rows are read in one go: a key may have to wait for that long. */
const sliceMs = 3;

/**
 * A value computed from every row. In a long history it is recomputed between frames, once for all
 * changes made during a pause that grows with the history. After a session was resumed, its rows are
 * first read from the disk, in slices: at once, it would take tenths of a second.
 */
export class BetweenFrames<T> {
  readonly #host: Pick<Host, "view" | "redraw">;
  readonly #memo = new Memo<T>();
  #value: T | null = null;
  #due: { keys: readonly unknown[]; make: () => T } | null = null;
  /** The rows before this one have been read. */
  #read = 0;
  /** Keys may have been pressed since the last pause. */
  #isSliced = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Pick<Host, "view" | "redraw">) {
    this.#host = host;
  }

  /** The value for these keys, or the previous one until it is computed; null before the first. */
  get(keys: readonly unknown[], make: () => T): T | null {
    const rows = this.#host.view.rows.length;
    if (rows <= fewRows || this.#memo.has(keys)) return (this.#value = this.#memo.get(keys, make));
    this.#due = { keys, make };
    if (this.#timer === undefined) this.#pause();
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

  #pause(ms = this.#host.view.rows.length / rowsPerMs): void {
    this.#timer = setTimeout(() => this.#work(), ms);
  }

  #work(): void {
    this.#timer = undefined;
    if (!this.#readSlice()) return this.#pause(0);
    if (this.#isSliced) {
      this.#isSliced = false;
      return this.#pause();
    }
    if (this.#due) this.#value = this.#memo.get(this.#due.keys, this.#due.make);
    this.#due = null;
    this.#host.redraw();
  }

  /** A digest that was read is kept. Returns false when there are more. */
  #readSlice(): boolean {
    const { rows, sentFrom } = this.#host.view;
    const endMs = performance.now() + sliceMs;
    for (let row = Math.max(this.#read, sentFrom); row < rows.length; row++) {
      void rows[row]?.digest;
      this.#read = row + 1;
      if (performance.now() < endMs) continue;
      this.#isSliced = true;
      return false;
    }
    return true;
  }
}
