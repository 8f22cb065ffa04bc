/** When the screen is drawn. */

import type { MeterReading } from "../context/types.ts";
import type { ScreenState } from "./state.ts";

/** Draws immediately for keys, otherwise at most every `intervalMs`. */
export class Pacer {
  readonly #intervalMs: number;
  #onFrame: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnMs = -Infinity;

  constructor(intervalMs: number, onFrame: () => void) {
    this.#intervalMs = intervalMs;
    this.#onFrame = onFrame;
  }

  /** Requests a frame soon. */
  request(): void {
    if (this.#timer) return;
    const wait = Math.max(0, this.#drawnMs + this.#intervalMs - performance.now());
    this.#timer = setTimeout(() => this.draw(), wait);
  }

  draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drawnMs = performance.now();
    this.#onFrame();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#onFrame = () => undefined;
  }
}

const second = 1_000;
const minute = 60 * second;

/** Milliseconds until the screen changes by time alone; null: it will not. Pure. */
export function nextTick(
  state: ScreenState,
  { cache }: Pick<MeterReading, "cache">,
  nowMs: number,
): number | null {
  const times: number[] = [];
  if (state.phase !== "idle" || state.retry) times.push(nowMs + second - (nowMs % second));
  if (state.flash) times.push(state.flash.untilMs);
  if (cache.state === "hot" && cache.expiresAtMs !== null) {
    const left = cache.expiresAtMs - nowMs;
    times.push(nowMs + (left % minute || minute));
  }
  return times.length === 0 ? null : Math.max(1, Math.min(...times) - nowMs);
}
