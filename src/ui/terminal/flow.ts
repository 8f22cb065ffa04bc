/**
 * Flow control: skips frames while the terminal lags. The next frame shows the current state, so only frames are
 * dropped, never keys. Bun's writes to a terminal block when its buffer is full and never set
 * `writableNeedDrain`, so status requests (DSR) after some output measure the lag.
 */

import { systemClock, type Clock } from "../../base/clock.ts";

/** Device status request (DSR); answered with `CSI 0 n`. */
export const statusRequest = "\x1b[5n";

/** Bytes between status requests, and unacknowledged bytes from which frames are skipped. */
const pieceBytes = 384;

/** Timeout for an answer, in milliseconds. A terminal that misses it does not support the request. */
const silentMs = 1_000;

type FlowOptions = {
  write(code: string): void;
  resume(): void;
  after?: Clock["after"];
};

export function flowControl({ write, resume, after = systemClock.after }: FlowOptions) {
  /** Bytes since the last request. */
  let bytes = 0;
  /** A request is pending. */
  let asked: PromiseWithResolvers<void> | null = null;
  let isSkipped = false;
  let hasAnswered = false;
  let isOff = false;
  let stopTimer = (): void => undefined;

  function settle(): void {
    stopTimer();
    asked?.resolve();
    asked = null;
    if (isSkipped) resume();
    isSkipped = false;
  }

  return {
    wrote(count: number): void {
      bytes += count;
      if (asked || isOff || bytes < pieceBytes) return;
      bytes = 0;
      asked = Promise.withResolvers();
      write(statusRequest);
      stopTimer = after(silentMs, () => {
        isOff = !hasAnswered;
        settle();
      });
    },
    /** Whether to skip this frame; `resume` follows. */
    isFull(): boolean {
      const isFull = asked !== null && bytes >= pieceBytes;
      isSkipped ||= isFull;
      return isFull;
    },
    answered(): void {
      hasAnswered = true;
      settle();
    },
    /** Resolves when no answer is pending; other programs would read it as keys. */
    quiet: async (): Promise<void> => asked?.promise,
    stop(): void {
      isOff = true;
      isSkipped = false;
      settle();
    },
  };
}
