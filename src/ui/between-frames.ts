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
export function betweenFrames<T>(host: Pick<Host, "view" | "redraw">) {
  const memo = new Memo<T>();
  let value: T | null = null;
  let due: { keys: readonly unknown[]; make: () => T } | null = null;
  /** The rows before this one have been read. */
  let read = 0;
  /** Keys may have been pressed since the last pause. */
  let isSliced = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function pause(ms = host.view.rows.length / rowsPerMs): void {
    timer = setTimeout(work, ms);
  }

  function work(): void {
    timer = undefined;
    if (!readSlice()) return pause(0);
    if (isSliced) {
      isSliced = false;
      return pause();
    }
    if (due) value = memo.get(due.keys, due.make);
    due = null;
    host.redraw();
  }

  /** A digest that was read is kept. Returns false when there are more. */
  function readSlice(): boolean {
    const { rows, sentFrom } = host.view;
    const endMs = performance.now() + sliceMs;
    for (let row = Math.max(read, sentFrom); row < rows.length; row++) {
      void rows[row]?.digest;
      read = row + 1;
      if (performance.now() < endMs) continue;
      isSliced = true;
      return false;
    }
    return true;
  }

  return {
    /** The value for these keys, or the previous one until it is computed; null before the first. */
    get(keys: readonly unknown[], make: () => T): T | null {
      const rows = host.view.rows.length;
      if (rows <= fewRows || memo.has(keys)) return (value = memo.get(keys, make));
      due = { keys, make };
      if (timer === undefined) pause();
      return value;
    },
    /** Delays the computation after a key press: more keys may follow, and none should wait for it. */
    postpone: () => void timer?.refresh(),
    stop: () => clearTimeout(timer),
  };
}
