/** How components read the screen: `useScreen(({ state }) => state.queue)`. */

import { createContext, use, useRef, useSyncExternalStore } from "react";
import type { Actions } from "./actions.ts";
import type { Budget, Layout } from "./budget.ts";
import type { Screen } from "./screen.ts";
import type { Store } from "./store.ts";
import type { Services } from "./types.ts";
import type { TranscriptView } from "./transcript/viewport.ts";

/** Screen, current layout, and layout subscribers. */
export class ScreenSource {
  readonly screen: Screen;
  /** null: not laid out yet. */
  layout: Layout | null = null;
  /** Store revision of the published layout. */
  revision = -1;
  readonly #listeners = new Set<() => void>();

  constructor(screen: Screen) {
    this.screen = screen;
  }

  publish(layout: Layout): void {
    this.layout = layout;
    this.revision = this.screen.store.revision;
    for (const changed of this.#listeners) changed();
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };
}

export const ScreenContext = createContext<ScreenSource | null>(null);

export function useSource(): ScreenSource {
  const source = use(ScreenContext);
  if (!source) throw new Error("This component needs a <ScreenContext>.");
  return source;
}

type Select<T> = (screen: Screen, budget: Budget) => T;

/** Selects from the screen; rerenders only when the value is not deeply equal. */
export function useScreen<T>(select: Select<T>): T {
  const source = useSource();
  const last = useRef<{ budget: Budget; select: Select<T>; value: T } | null>(null);
  return useSyncExternalStore(source.subscribe, () => {
    const { budget } = layoutOf(source);
    const before = last.current;
    // Streaming does not change the budget: skip the selector.
    if (before?.budget === budget && before.select === select) return before.value;
    const next = select(source.screen, budget);
    const value = before && Bun.deepEquals(before.value, next) ? before.value : next;
    last.current = { budget, select, value };
    return value;
  });
}

/** State, view and meter reading; rerenders when any of them changes. */
export function useStore(): Store {
  const source = useSource();
  useSyncExternalStore(source.subscribe, () => layoutOf(source).budget);
  return source.screen.store;
}

export const useActions = (): Actions => useSource().screen.actions;

export const useServices = (): Services => useSource().screen.services;

/** Selects from the visible transcript, which changes with every token. */
export function useTranscript<T>(select: (view: TranscriptView) => T): T {
  const source = useSource();
  const last = useRef<{ value: T } | null>(null);
  return useSyncExternalStore(source.subscribe, () => {
    const value = select(layoutOf(source).transcript);
    if (!last.current || !Bun.deepEquals(last.current.value, value)) last.current = { value };
    return last.current.value;
  });
}

export function layoutOf({ layout }: ScreenSource): Layout {
  if (!layout) throw new Error("Nothing was laid out yet.");
  return layout;
}

/** False: Ink draws its own output, which contains only rendered components. */
export const DrawsRowsContext = createContext<() => boolean>(() => true);
