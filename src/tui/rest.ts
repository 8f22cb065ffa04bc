import type { ScreenState } from "./state.ts";

/** How long nothing happens before memory is given back, in milliseconds. */
const restMs = 10_000;

/**
 * Gives memory back to the system once the user pauses after work. What a turn had compiled and thrown
 * away is a tenth of all memory, and the engine keeps it for the next turn, which may be hours away.
 */
export class Rest {
  readonly #phase: () => ScreenState["phase"];
  readonly #free: () => void;
  /** Since memory was given back. */
  #hasWorked = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(phase: () => ScreenState["phase"], free: () => void = freeMemory) {
    this.#phase = phase;
    this.#free = free;
  }

  /** Something has changed. */
  follow(): void {
    if (this.#phase() !== "idle") {
      this.#hasWorked = true;
      this.stop();
    } else if (this.#hasWorked)
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#hasWorked = false;
        this.#free();
      }, restMs);
  }

  /** A key was pressed: more may follow, and none is to wait for this. */
  postpone(): void {
    this.#timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Collects, and drops compiled code, when nothing else is to be done. Bun may remove it in a later version. */
function freeMemory(): void {
  Bun.shrink?.();
}
