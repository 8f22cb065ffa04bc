/**
 * Skips frames while the terminal lags behind; the next one shows the newest state, so frames are
 * dropped and keys are not. Bun's writes to a terminal block when its buffer is full and never set
 * `writableNeedDrain`, so the terminal itself is asked for its status after some output.
 */

import { systemClock, type Clock } from "../../base/clock.ts";

/** A status request; its answer is `CSI 0 n`. */
export const statusRequest = "\x1b[5n";

/** Bytes after which the terminal is asked, and after which frames wait for its answer. */
const pieceBytes = 384;

/** How long an answer is waited for, in milliseconds. A terminal that has given none by then never will. */
const silentMs = 1_000;

type FlowOptions = {
  write(code: string): void;
  resume(): void;
  after?: Clock["after"];
};

export function flowControl({ write, resume, after = systemClock.after }: FlowOptions) {
  /** Bytes since the last request. */
  let bytes = 0;
  /** A request without an answer. */
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
    /** Resolves when no answer is on its way, which others would take for keys. */
    quiet: async (): Promise<void> => asked?.promise,
    stop(): void {
      isOff = true;
      isSkipped = false;
      settle();
    },
  };
}
