/** How components take keys. */

import { createContext, use, useEffectEvent, useLayoutEffect } from "react";
import { type KeyHandler, KeyHandlers, type KeyLevel } from "./key-handlers.ts";

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
