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

/** A terminal that has not answered within this time, in milliseconds, never will. */
const silentMs = 2_000;

/** How long a pause waits for an answer, in milliseconds: from a terminal that may never answer, or has. */
const patienceMs = { unknown: 300, known: 1_000 };

type FlowOptions = {
  write(code: string): void;
  resume(): void;
  after?: Clock["after"];
};

export function flowControl({ write, resume, after = systemClock.after }: FlowOptions) {
  /** Bytes since the last request. */
  let bytes = 0;
  let state: "free" | "asked" | "paused" | "off" = "free";
  let isSkipped = false;
  let hasAnswered = false;
  let stopTimer = (): void => undefined;
  let endPause = (): void => undefined;

  function ask(): void {
    state = "asked";
    write(statusRequest);
    // An answer can be late, or lost while another program has the terminal: the next one will come.
    stopTimer = after(silentMs, () => (hasAnswered ? ask() : free("off")));
  }

  function free(next: "free" | "off"): void {
    stopTimer();
    if (state === "asked") state = next;
    endPause();
    if (isSkipped) resume();
    isSkipped = false;
  }

  return {
    wrote(count: number): void {
      bytes += count;
      if (state !== "free" || bytes < pieceBytes) return;
      bytes = 0;
      ask();
    },
    /** Whether to skip this frame; `resume` follows. */
    isFull(): boolean {
      const isFull = state === "asked" && bytes >= pieceBytes;
      isSkipped ||= isFull;
      return isFull;
    },
    answered(): void {
      hasAnswered = true;
      free("free");
    },
    /** Asks no more until `resume`; resolves when no answer is on its way, which others take for keys. */
    async pause(): Promise<void> {
      const isDue = state === "asked";
      if (state !== "off") state = "paused";
      stopTimer();
      if (!isDue) return;
      const waited = Promise.withResolvers<void>();
      endPause = waited.resolve;
      stopTimer = after(hasAnswered ? patienceMs.known : patienceMs.unknown, waited.resolve);
      await waited.promise;
      stopTimer();
    },
    resume(): void {
      if (state !== "off") state = "free";
      bytes = 0;
    },
    stop(): void {
      stopTimer();
      state = "off";
    },
  };
}
