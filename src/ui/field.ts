/** A line of text that the user types into, such as a filter, a focus or a key; edited by ink-text-input. */

import { sanitizeLine } from "./sanitize.ts";

/** A field as it is shown. Two views of the same field have the same model. */
export type FieldView = {
  readonly field: FieldModel;
  readonly label: string;
  readonly placeholder: string;
  /** Drawn in place of every character. */
  readonly mask?: string;
};

export class FieldModel {
  #value: string;
  readonly #changed: (value: string) => void;
  readonly #listeners = new Set<() => void>();

  constructor(value = "", changed: (value: string) => void = () => {}) {
    this.#value = sanitizeLine(value);
    this.#changed = changed;
  }

  get value(): string {
    return this.#value;
  }

  set(value: string): void {
    const clean = sanitizeLine(value);
    if (clean === this.#value) return;
    this.show(clean);
    this.#changed(clean);
  }

  /** Sets the value without saying that it changed. */
  show(value: string): void {
    this.#value = value;
    // The screen follows at once, not with the next frame: the next key edits what is shown.
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}
