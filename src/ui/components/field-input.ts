import { PassThrough } from "node:stream";

/**
 * Standard input of Ink: only the keys that a field passes on to ink-text-input. The screen reads the terminal
 * itself, and the package loses keys that arrive in one read, so each is a read of its own.
 */
export class FieldInput extends PassThrough {
  readonly isTTY = true;
  #next: string | null = null;

  setRawMode(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override read(): ReturnType<PassThrough["read"]> {
    const key = this.#next;
    this.#next = null;
    return key;
  }

  /** Hands one key over; the focused ink-text-input has handled it on return. */
  send(key: string): void {
    this.#next = key;
    this.emit("readable");
  }
}
