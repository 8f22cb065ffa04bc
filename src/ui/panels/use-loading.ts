import { useLayoutEffect, useState } from "react";
import { errorMessage } from "../../base/format.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useSource } from "../screen-context.ts";

/** `message` is shown while there is no value: a loading text or the error. */
type Loading<T> = { value: T | null; message: string };

/** Loads a value on mount, and again when a key changes; keeps the previous value meanwhile. */
export function useLoading<T>(
  load: () => Promise<T>,
  message: string,
  keys: readonly unknown[] = [],
): Loading<T> {
  const { store } = useSource().screen;
  const [loading, setLoading] = useState<Loading<T>>({ value: null, message });
  useLayoutEffect(() => {
    let isCurrent = true;
    const show = (next: Loading<T>): void => {
      if (isCurrent) setLoading(next);
      store.redraw();
    };
    load().then(
      (value) => show({ value, message: "" }),
      (error: unknown) => show({ value: null, message: sanitizeLine(errorMessage(error)) }),
    );
    return () => void (isCurrent = false);
  }, keys);
  return loading;
}
