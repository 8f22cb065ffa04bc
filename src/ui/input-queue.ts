/** Hands out input events strictly one after the other. */

import type { InputEvent } from "./keys.ts";

/**
 * Returns a function that takes events; they wait while the handler's promise for an earlier one is
 * pending. `resumed` is called once a promise has settled and the events that waited for it were
 * handled.
 */
export function inputQueue(
  handle: (event: InputEvent) => void | Promise<void>,
  resumed: () => void,
): (...events: readonly InputEvent[]) => void {
  const waiting: InputEvent[] = [];
  let isBusy = false;
  const drain = (): void => {
    for (let event = waiting.shift(); event; event = waiting.shift()) {
      const pending = handle(event);
      if (pending === undefined) continue;
      isBusy = true;
      void pending.finally(() => {
        isBusy = false;
        drain();
        resumed();
      });
      return;
    }
  };
  return (...events) => {
    waiting.push(...events);
    if (!isBusy) drain();
  };
}
