/** Decides when the screen is drawn: immediately for keys, otherwise at most every `intervalMs`. */
export class Pacer {
  readonly #intervalMs: number;
  #onFrame: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnMs = -Infinity;

  constructor(intervalMs: number, onFrame: () => void) {
    this.#intervalMs = intervalMs;
    this.#onFrame = onFrame;
  }

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
    this.#onFrame();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#onFrame = () => undefined;
  }
}
