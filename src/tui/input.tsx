/**
 * Who gets a key. Parts listen on a layer; a key goes down the layers, newest listener first, until
 * one takes it. So a completion list gets Escape before it stops the agent, and a dialog gets
 * everything before the prompt does.
 */

import { createContext, useContext, useEffect, useEffectEvent } from "react";
import type { InputEvent } from "./keys.ts";

/**
 * first: leaving and redrawing. dialog: questions and panels. panel: what an open one swallows. popup: what a part shows for a
 * moment (completion, history search). transcript: while it is in focus. global: the key map.
 * last: what the prompt has no use for.
 */
const layers = [
  "first",
  "dialog",
  "panel",
  "popup",
  "transcript",
  "global",
  "prompt",
  "last",
] as const;

export type Layer = (typeof layers)[number];

/** True: taken, nobody else gets it. */
export type Listener = (event: InputEvent) => boolean;

export class InputBus {
  readonly #listeners = new Map<Layer, Listener[]>();
  readonly #waiting: InputEvent[] = [];
  #busy = false;
  /** Something was handed out that the screen may not show yet. */
  #undrawn = false;

  /**
   * Hands events out in their order. One that may have changed who listens (a key that opens a
   * dialog) lets the screen be drawn before the next one goes out, however soon that comes.
   */
  emit(...events: InputEvent[]): void {
    this.#waiting.push(...events);
    if (!this.#busy) this.#handOut();
  }

  #handOut(): void {
    for (let event = this.#waiting[0]; event; event = this.#waiting[0]) {
      const isText = event.type === "key" && event.text !== "";
      // Letters go in at once; what acts on them must see what they led to.
      if (!isText && this.#undrawn) return this.#afterDrawing();
      this.#waiting.shift();
      this.#undrawn = true;
      const layer = this.#give(event);
      if (!isText || layer !== "prompt") return this.#afterDrawing();
    }
  }

  /** Listeners change in effects, which React runs a turn after it has drawn. */
  #afterDrawing(): void {
    this.#busy = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#busy = false;
        this.#undrawn = false;
        this.#handOut();
      }),
    );
  }

  #give(event: InputEvent): Layer | null {
    for (const layer of layers) {
      for (const listener of (this.#listeners.get(layer) ?? []).toReversed()) {
        if (listener(event)) return layer;
      }
    }
    return null;
  }

  listen(layer: Layer, listener: Listener): () => void {
    this.#listeners.set(layer, [...(this.#listeners.get(layer) ?? []), listener]);
    return () => {
      const rest = (this.#listeners.get(layer) ?? []).filter((other) => other !== listener);
      this.#listeners.set(layer, rest);
    };
  }
}

export const InputContext = createContext(new InputBus());

/** Listens while the part is on the screen and `active`. */
export function useKeys(layer: Layer, listener: Listener, active = true): void {
  const bus = useContext(InputContext);
  const current = useEffectEvent(listener);
  useEffect(
    () => (active ? bus.listen(layer, (event) => current(event)) : undefined),
    [bus, layer, active],
  );
}
