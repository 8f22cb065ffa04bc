import { useReducer, useRef } from "react";

export type Latest<T> = {
  /** The value now, not the one that was drawn last. */
  get(): T;
  set(next: T): void;
  /** Sets it without a redraw: while drawing. */
  keep(next: T): void;
};

/**
 * State that several keys of one read may change before anything is drawn again: "hello\r" arrives
 * as one event, and every letter of it must see what the one before it did.
 */
export function useLatest<T>(initial: T): Latest<T> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const value = useRef(initial);
  const cell = useRef<Latest<T>>({
    get: () => value.current,
    set(next) {
      if (Object.is(next, value.current)) return;
      value.current = next;
      redraw();
    },
    keep(next) {
      value.current = next;
    },
  });
  return cell.current;
}
