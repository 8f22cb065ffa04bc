import type { View } from "../context/types.ts";

/** Caches the last result of `make` until a key changes. */
export class Memo<T> {
  #last: { keys: readonly unknown[]; value: T } | null = null;

  has(keys: readonly unknown[]): boolean {
    const known = this.#last?.keys;
    return known?.length === keys.length && keys.every((key, i) => Object.is(key, known[i]));
  }

  get(keys: readonly unknown[], make: () => T): T {
    if (this.#last && this.has(keys)) return this.#last.value;
    const value = make();
    this.#last = { keys, value };
    return value;
  }
}

/** Rows that may be visited within a frame. */
const fewRows = 400;

/** Rows per millisecond of pause before the next pass, which bounds its share of the time. */
const rowsPerMs = 40;

/** Values computed from every row: in a long history between frames, after a pause that grows with its length. */
export function betweenFrames<T>(store: { readonly view: View; redraw(): void }) {
  const memo = new Memo<T>();
  let value: T | null = null;
  /** Computes the latest requested value. */
  let compute = (): T | null => null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function work(): void {
    timer = undefined;
    value = compute();
    store.redraw();
  }

  return {
    /** The value for these keys, or the previous one until it is computed; null before the first. */
    get(keys: readonly unknown[], make: () => T): T | null {
      const rows = store.view.rows.length;
      if (rows <= fewRows || memo.has(keys)) return (value = memo.get(keys, make));
      compute = () => memo.get(keys, make);
      timer ??= setTimeout(work, rows / rowsPerMs);
      return value;
    },
    /** Debounces the computation after a key press. */
    postpone: () => void timer?.refresh(),
    stop: () => clearTimeout(timer),
  };
}
