/** Draw timing: immediately after keys, at the frame rate for changes, and on clock ticks. */

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

/** Milliseconds until the clock alone changes the screen; null: never. `answersAtMs`: see `Question`. */
export function nextTick(
  state: ScreenState,
  { cache }: Pick<MeterReading, "cache">,
  nowMs: number,
  answersAtMs: number | null,
): number | null {
  const times: number[] = [];
  if (state.phase !== "idle" || state.retry) times.push(nowMs + second - (nowMs % second));
  if (state.flash) times.push(state.flash.untilMs);
  if (answersAtMs !== null) times.push(answersAtMs);
  if (cache.state === "hot" && cache.expiresAtMs !== null) {
    const left = cache.expiresAtMs - nowMs;
    times.push(nowMs + (left % minute || minute));
  }
  return times.length === 0 ? null : Math.max(1, Math.min(...times) - nowMs);
}
