/**
 * Keeps a slow line from falling behind: once in a while the terminal is asked to answer, and while more
 * than a little is on its way, no frame is drawn. The next one shows the newest state, so that frames are
 * dropped and keys are not.
 */

/** A status request; its answer is `CSI 0 n`. */
export const statusRequest = "\x1b[5n";

/** Bytes after which the terminal is asked, and from which on frames wait for its answer. */
const limits = { askAfter: 384, waitFrom: 768 };

/** A terminal that has never answered within this time will not, in milliseconds. */
const silentMs = 2_000;

type FlowOptions = {
  write(code: string): void;
  /** Frames may be drawn again. */
  resume(): void;
};

export class Flow {
  readonly #options: FlowOptions;
  /** Bytes since the last request, and before it without an answer. */
  #since = 0;
  #unanswered = 0;
  #isAsked = false;
  #isWaited = false;
  #isOff = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: FlowOptions) {
    this.#options = options;
  }

  /** False: wait for `resume`. */
  ready(): boolean {
    const isReady = this.#isOff || this.#since + this.#unanswered < limits.waitFrom;
    this.#isWaited ||= !isReady;
    return isReady;
  }

  wrote(bytes: number): void {
    if (this.#isOff) return;
    this.#since += bytes;
    if (this.#isAsked || this.#since < limits.askAfter) return;
    this.#isAsked = true;
    this.#unanswered = this.#since;
    this.#since = 0;
    this.#options.write(statusRequest);
    this.#timer = setTimeout(() => this.#giveUp(), silentMs + this.#unanswered * msPerByte);
  }

  answered(): void {
    clearTimeout(this.#timer);
    this.#isAsked = false;
    this.#unanswered = 0;
    this.wrote(0);
    this.#go();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#isOff = true;
  }

  #giveUp(): void {
    this.#isOff = true;
    this.#go();
  }

  #go(): void {
    if (!this.#isWaited) return;
    this.#isWaited = false;
    this.#options.resume();
  }
}

/** On the slowest line that counts: 300 bytes a second. */
const msPerByte = 1_000 / 300;
