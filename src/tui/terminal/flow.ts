/**
 * Flow control for slow connections: now and then the terminal is asked to answer, and while too
 * much output is still on its way, no frame is drawn. The next one shows the newest state, so
 * frames are dropped and keys are not.
 */

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
const usualSilentMs = 2_000;

/** How long a pause waits for an answer, in milliseconds: from a terminal that may never answer, or has. */
const patienceMs = { unknown: 300, known: 1_000 };

type FlowOptions = {
  write(code: string): void;
  /** Frames may be drawn again. */
  resume(): void;
  silentMs?: number;
  /** The clock, in milliseconds from any time. */
  now?: () => number;
};

export class Flow {
  readonly #options: FlowOptions;
  readonly #now: () => number;
  /** Bytes since the last request, and before it without an answer. */
  #since = 0;
  #unanswered = 0;
  /** When the terminal was asked; null: it has answered. */
  #askedMs: number | null = null;
  #isSlow = false;
  #isWaited = false;
  #isOff = false;
  #isPaused = false;
  #hasAnswered = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the wait of a pause. */
  #endWait = (): void => undefined;

  constructor(options: FlowOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Bytes that may be written now; 0: wait for `resume`. */
  room(): number {
    const { waitFrom } = this.#isSlow ? slowLimits : limits;
    const isFull = this.#isActive && this.#since + this.#unanswered >= waitFrom;
    this.#isWaited ||= isFull;
    return isFull ? 0 : this.#isSlow && this.#isActive ? slowLimits.piece : Infinity;
  }

  /** There is more to write: `resume` will be called when there is room. */
  wait(): void {
    this.#isWaited = true;
    if (this.#askedMs === null) this.#ask();
  }

  wrote(bytes: number): void {
    if (!this.#isActive) return;
    this.#since += bytes;
    const { askAfter } = this.#isSlow ? slowLimits : limits;
    if (this.#askedMs === null && this.#since >= askAfter) this.#ask();
  }

  answered(): void {
    this.#hasAnswered = true;
    const tookMs = this.#now() - (this.#askedMs ?? this.#now());
    const fromMs = slow.fromMs + this.#unanswered / slow.bytesPerMs;
    this.#isSlow = tookMs > (this.#isSlow ? slow.untilMs : fromMs);
    this.#next();
  }

  /**
   * Asks no more until `resume`. Resolves when the terminal has answered, or seems not to: another
   * program would take the answer for keys.
   */
  async pause(): Promise<void> {
    this.#isPaused = true;
    clearTimeout(this.#timer);
    if (this.#askedMs === null || this.#isOff) return;
    const waited = Promise.withResolvers<void>();
    this.#endWait = waited.resolve;
    const ms = this.#hasAnswered ? patienceMs.known : patienceMs.unknown;
    this.#timer = setTimeout(waited.resolve, ms);
    await waited.promise;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#isPaused = false;
    this.#askedMs = null;
    this.#since = 0;
    this.#unanswered = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#isOff = true;
  }

  get #isActive(): boolean {
    return !this.#isOff && !this.#isPaused;
  }

  #ask(): void {
    this.#askedMs = this.#now();
    this.#unanswered = this.#since;
    this.#since = 0;
    this.#question();
  }

  #question(): void {
    const { write, silentMs = usualSilentMs } = this.#options;
    write(statusRequest);
    this.#timer = setTimeout(() => this.#giveUp(), silentMs + this.#unanswered * msPerByte);
  }

  #giveUp(): void {
    // An answer can be late, or lost while another program has the terminal: the next one will come.
    if (this.#hasAnswered) return this.#question();
    this.#isOff = true;
    this.#next();
  }

  /** What was asked about has arrived. */
  #next(): void {
    clearTimeout(this.#timer);
    this.#askedMs = null;
    this.#unanswered = 0;
    this.#endWait();
    this.wrote(0);
    if (!this.#isWaited) return;
    this.#isWaited = false;
    this.#options.resume();
  }
}

/** For the slowest line that is supported: 300 bytes a second. */
const msPerByte = 1_000 / 300;
