/** How components read the screen: `useScreen(frame => frame.meter)`. */

import { createContext, use, useSyncExternalStore } from "react";
import type { Frame } from "./frame.ts";
import type { Theme } from "./theme.ts";

/** The newest frame, and who is told of a newer one. */
export interface ScreenSource {
  /** null: the terminal is too small for one. */
  frame(): Frame | null;
  /** False: Ink's own output is drawn, which knows only what was rendered. */
  drawsRows(): boolean;
  subscribe(changed: () => void): () => void;
}

export const ScreenContext = createContext<ScreenSource | null>(null);

export function useSource(): ScreenSource {
  const source = use(ScreenContext);
  if (!source) throw new Error("This component needs a <ScreenContext>.");
  return source;
}

/** Selects a value from the frame; the component renders again only when the value changes. */
export function useScreen<T>(select: (frame: Frame) => T): T {
  const { frame, subscribe } = useSource();
  return useSyncExternalStore(subscribe, () => {
    const now = frame();
    if (!now) throw new Error("There is no frame to draw.");
    return select(now);
  });
}

export const useTheme = (): Theme => useScreen((frame) => frame.theme);

/** Columns between the gutters. */
export const useColumns = (): number => useScreen(({ columns, gutter }) => columns - 2 * gutter);
