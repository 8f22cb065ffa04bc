/** Hands out input events strictly one after the other. */

import type { InputEvent } from "./keys.ts";

/** Events wait while the handler's promise for an earlier one is pending. */
export class InputQueue {
  readonly #waiting: InputEvent[] = [];
  readonly #handle: (event: InputEvent) => void | Promise<void>;
  readonly #resumed: () => void;
  #isBusy = false;

  /**
   * `resumed` is called once a promise has settled and the events that waited for it were handled.
   */
  constructor(handle: (event: InputEvent) => void | Promise<void>, resumed: () => void) {
    this.#handle = handle;
    this.#resumed = resumed;
  }

  push(...events: readonly InputEvent[]): void {
    this.#waiting.push(...events);
    if (!this.#isBusy) this.#drain();
  }

  #drain(): void {
    for (let event = this.#waiting.shift(); event; event = this.#waiting.shift()) {
      const pending = this.#handle(event);
      if (pending === undefined) continue;
      this.#isBusy = true;
      void pending.finally(() => {
        this.#isBusy = false;
        this.#drain();
        this.#resumed();
      });
      return;
    }
  }
}
