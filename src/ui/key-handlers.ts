/** Who takes keys: handlers by level. */

import type { InputEvent } from "./keys.ts";

/** From the top down. `key-router.ts` says which of them are offered a key, by what is open. */
export type KeyLevel =
  | "question"
  | "panel"
  /** A field within a panel, which gets what the panel leaves. */
  | "field"
  /** Over the prompt, such as the menu of commands. */
  | "popup"
  | "transcript"
  | "screen"
  | "prompt"
  /** What nothing else takes. */
  | "last";

/**
 * True: the event was handled. A promise: it was, and later events wait for it. `isLate`: the event
 * waited for an earlier one, and was perhaps typed before what it would change was seen.
 */
export type KeyHandler = (event: InputEvent, isLate: boolean) => boolean | Promise<void>;

export class KeyHandlers {
  readonly #byLevel = new Map<KeyLevel, readonly KeyHandler[]>();

  /** Within a level, the handler that came first is offered a key first. Returns a function that removes it. */
  add(level: KeyLevel, handler: KeyHandler): () => void {
    this.#byLevel.set(level, [...this.#of(level), handler]);
    return () =>
      void this.#byLevel.set(
        level,
        this.#of(level).filter((other) => other !== handler),
      );
  }

  has(level: KeyLevel): boolean {
    return this.#of(level).length > 0;
  }

  /** Offers an event to the handlers of these levels until one takes it. */
  offer(event: InputEvent, levels: readonly KeyLevel[], isLate = false): boolean | Promise<void> {
    for (const handler of levels.flatMap((level) => this.#of(level))) {
      const used = handler(event, isLate);
      if (used !== false) return used;
    }
    return false;
  }

  #of(level: KeyLevel): readonly KeyHandler[] {
    return this.#byLevel.get(level) ?? [];
  }
}
