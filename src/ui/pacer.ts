/** When the screen is drawn. */

import type { MeterReading } from "../context/types.ts";
import type { ScreenState } from "./state.ts";

/** Draws immediately for keys, otherwise at most every `intervalMs`. */
export function pacer(intervalMs: number, onFrame: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let drawnMs = -Infinity;
  let isStopped = false;
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    drawnMs = performance.now();
    if (!isStopped) onFrame();
  };
  return {
    draw,
    /** Requests a frame soon. */
    request(): void {
      timer ??= setTimeout(draw, Math.max(0, drawnMs + intervalMs - performance.now()));
    },
    stop(): void {
      clearTimeout(timer);
      isStopped = true;
    },
  };
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
