/**
 * Flow control for slow connections: now and then the terminal is asked to answer, and while too
 * much output is still on its way, no frame is drawn. The next one shows the newest state, so
 * frames are dropped and keys are not.
 */

import { systemClock, type Clock } from "../../base/clock.ts";

/** A status request; its answer is `CSI 0 n`. */
export const statusRequest = "\x1b[5n";

/** Bytes after which the terminal is asked, and from which on frames wait for its answer. */
const limits = { askAfter: 384, waitFrom: 768 };

/** The same on a slow line, where at most `piece` bytes are written at once. */
const slowLimits = { askAfter: 192, waitFrom: 448, piece: 192 };

/**
 * A line is slow from an answer on that takes `fromMs` longer than its bytes take at `bytesPerMs`, until
 * one that takes less than `untilMs`.
 */
const slow = { fromMs: 150, bytesPerMs: 2, untilMs: 100 };

/** A terminal that has not answered within this time, in milliseconds, never will. */
const silentMs = 2_000;

/** How long a pause waits for an answer, in milliseconds: from a terminal that may never answer, or has. */
const patienceMs = { unknown: 300, known: 1_000 };

type FlowOptions = {
  write(code: string): void;
  resume(): void;
  after?: Clock["after"];
  now?: () => number;
};

export function flowControl(options: FlowOptions) {
  const { write, after = systemClock.after, now = () => performance.now() } = options;
  /** Bytes since the last request, and before it without an answer. */
  let since = 0;
  let unanswered = 0;
  /** When the terminal was asked; null: it has answered. */
  let askedMs: number | null = null;
  let isSlow = false;
  let isWaited = false;
  let isOff = false;
  let isPaused = false;
  let hasAnswered = false;
  let stopTimer = (): void => undefined;
  let endWait = (): void => undefined;

  const isActive = (): boolean => !isOff && !isPaused;

  function ask(): void {
    askedMs = now();
    unanswered = since;
    since = 0;
    question();
  }

  function question(): void {
    write(statusRequest);
    stopTimer = after(silentMs + unanswered * msPerByte, giveUp);
  }

  function giveUp(): void {
    // An answer can be late, or lost while another program has the terminal: the next one will come.
    if (hasAnswered) return question();
    isOff = true;
    next();
  }

  /** The terminal acknowledged our output. */
  function next(): void {
    stopTimer();
    askedMs = null;
    unanswered = 0;
    endWait();
    wrote(0);
    if (!isWaited) return;
    isWaited = false;
    options.resume();
  }

  function wrote(bytes: number): void {
    if (!isActive()) return;
    since += bytes;
    const { askAfter } = isSlow ? slowLimits : limits;
    if (askedMs === null && since >= askAfter) ask();
  }

  return {
    wrote,
    /** Bytes that may be written now; 0: wait for `resume`. */
    room(): number {
      const { waitFrom } = isSlow ? slowLimits : limits;
      const isFull = isActive() && since + unanswered >= waitFrom;
      isWaited ||= isFull;
      return isFull ? 0 : isSlow && isActive() ? slowLimits.piece : Infinity;
    },
    wait(): void {
      isWaited = true;
      if (askedMs === null) ask();
    },
    answered(): void {
      hasAnswered = true;
      const tookMs = now() - (askedMs ?? now());
      const fromMs = slow.fromMs + unanswered / slow.bytesPerMs;
      isSlow = tookMs > (isSlow ? slow.untilMs : fromMs);
      next();
    },
    /** Asks no more until `resume`; resolves when no answer is on its way, which others take for keys. */
    async pause(): Promise<void> {
      isPaused = true;
      stopTimer();
      if (askedMs === null || isOff) return;
      const waited = Promise.withResolvers<void>();
      endWait = waited.resolve;
      stopTimer = after(hasAnswered ? patienceMs.known : patienceMs.unknown, waited.resolve);
      await waited.promise;
      stopTimer();
    },
    resume(): void {
      isPaused = false;
      askedMs = null;
      since = 0;
      unanswered = 0;
    },
    stop(): void {
      stopTimer();
      isOff = true;
    },
  };
}

/** For the slowest line that is supported: 300 bytes a second. */
const msPerByte = 1_000 / 300;
