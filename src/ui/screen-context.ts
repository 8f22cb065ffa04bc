/** How components read the screen: `useScreen(({ state }) => state.queue)`. */

import { createContext, use, useRef, useSyncExternalStore } from "react";
import type { Actions } from "./actions.ts";
import type { Budget, Layout } from "./budget.ts";
import type { Screen } from "./screen.ts";
import type { Store } from "./store.ts";
import type { Services } from "./types.ts";
import type { TranscriptView } from "./transcript/viewport.ts";

/** The screen with its newest layout, and who is told of a newer one. */
export class ScreenSource {
  readonly screen: Screen;
  /** null: there is none yet. */
  layout: Layout | null = null;
  /** That of the store when the layout was published. */
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

/** Selects from the screen; the component renders again only when the value is another or unequal one. */
export function useScreen<T>(select: Select<T>): T {
  const source = useSource();
  const last = useRef<{ budget: Budget; select: Select<T>; value: T } | null>(null);
  return useSyncExternalStore(source.subscribe, () => {
    const { budget } = layoutOf(source);
    const before = last.current;
    // While an answer is streamed, nothing is computed.
    if (before?.budget === budget && before.select === select) return before.value;
    const next = select(source.screen, budget);
    const value = before && Bun.deepEquals(before.value, next) ? before.value : next;
    last.current = { budget, select, value };
    return value;
  });
}

/** The state, the view and the meter reading; the component renders again when any of it has changed. */
export function useStore(): Store {
  const source = useSource();
  useSyncExternalStore(source.subscribe, () => layoutOf(source).budget);
  return source.screen.store;
}

export const useActions = (): Actions => useSource().screen.actions;

export const useServices = (): Services => useSource().screen.services;

/** Selects from the visible part of the transcript, which changes with every token. */
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

/** False: Ink's own output is drawn, which knows only what was rendered. */
export const DrawsRowsContext = createContext<() => boolean>(() => true);
