import type { View } from "../../context/types.ts";

/** By so much the context must have grown or shrunk before the model is asked again. */
const muchChange = 1.5;

/**
 * Keeps a model that cannot write summaries from being asked again and again: opens after so many
 * failures in a row; closes on success, on a try by hand, or when the context changed much.
 */
export class Breaker {
  readonly #most: number;
  #failures = 0;
  #rowsWhenOpened = 0;

  constructor(mostFailures: number) {
    this.#most = mostFailures;
  }

  isOpen(view: View): boolean {
    if (this.#failures < this.#most) return false;
    const rows = view.rows.length;
    return rows < this.#rowsWhenOpened * muchChange && rows * muchChange > this.#rowsWhenOpened;
  }

  /** True when this failure is the one that opens it. */
  failed(view: View): boolean {
    this.#failures++;
    this.#rowsWhenOpened = view.rows.length;
    return this.#failures === this.#most;
  }

  close(): void {
    this.#failures = 0;
  }
}
