/** How components take keys: handlers by level. */

import { createContext, use, useEffectEvent, useLayoutEffect } from "react";
import type { InputEvent } from "./keys.ts";

/** Top to bottom. `key-router.ts` chooses the levels for each key. */
export type KeyLevel =
  | "question"
  | "panel"
  /** Text field in a panel; gets keys the panel does not handle. */
  | "field"
  /** Above the prompt, such as the command menu. */
  | "popup"
  | "transcript"
  | "screen"
  | "prompt"
  /** Fallback. */
  | "last";

/**
 * True or a promise: handled; later events wait for the promise. `isLate`: the event was queued behind an
 * earlier one, and may have been typed before the user saw its result.
 */
export type KeyHandler = (event: InputEvent, isLate: boolean) => boolean | Promise<void>;

export class KeyHandlers {
  readonly #byLevel = new Map<KeyLevel, readonly KeyHandler[]>();

  /** Within a level, handlers are tried in the order added. Returns a function that removes the handler. */
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

  /** Offers an event to these levels until a handler takes it. */
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

export const KeysContext = createContext(new KeyHandlers());

/** Handles keys while the component is mounted and active. Return false to pass the key on. */
export function useKeys(
  handler: KeyHandler,
  level: KeyLevel,
  { isActive = true }: { isActive?: boolean } = {},
): void {
  const handlers = use(KeysContext);
  const take = useEffectEvent(handler);
  useLayoutEffect(
    () => (isActive ? handlers.add(level, (event, isLate) => take(event, isLate)) : undefined),
    [handlers, level, isActive],
  );
}
