/** Decides when the screen is drawn: immediately for keys, otherwise at most every `intervalMs`. */
export class Pacer {
  readonly #intervalMs: number;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnMs = -Infinity;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

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
    for (const listener of this.#listeners) listener();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }
}
