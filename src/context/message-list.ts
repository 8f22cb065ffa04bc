import type { Message } from "../protocol/model.ts";
import type { MessagePart } from "./blocks.ts";
import { MessageBuilder } from "./message-builder.ts";

/** Where the parts of messages come from. */
type Rows = {
  readonly rows: readonly unknown[];
  /** The next row that may hold a part. */
  after(row: number): number;
  partOf(row: number): MessagePart | null;
};

/** The messages of all rows. A message is built once, and again when one of its rows has changed. */
export class MessageList {
  readonly #table: Rows;
  #builder = new MessageBuilder();
  /** Rows that the builder has. */
  #built = 0;
  /** The first row of each message. */
  readonly #begins: number[] = [];
  /** The first messages as they were, before a row after them changed. */
  #before: readonly Message[] = [];

  constructor(table: Rows) {
    this.#table = table;
  }

  all(): readonly Message[] {
    const { rows, after } = this.#table;
    if (this.#built === 0) this.#begins.length = 0;
    for (; this.#built < rows.length; this.#built = after(this.#built)) {
      const part = this.#table.partOf(this.#built);
      if (part) this.#builder.add(part);
      while (this.#begins.length < this.#builder.messages.length) this.#begins.push(this.#built);
    }
    this.#builder.putBack(this.#before);
    this.#before = [];
    return this.#builder.finished();
  }

  /** The messages of the rows up to and including `row`. */
  upTo(row: number): readonly Message[] {
    const builder = new MessageBuilder();
    for (let at = 0; at <= row; at = this.#table.after(at)) {
      const part = this.#table.partOf(at);
      if (part) builder.add(part);
    }
    return builder.finished();
  }

  /** The rows from `first` on have changed. */
  changed(first: number): void {
    const isBuilt = this.#built > 0;
    if (isBuilt && first >= this.#built) return;
    // The last message that begins before the row may continue in it.
    const whole = Math.max(
      0,
      this.#begins.findLastIndex((row) => row < first),
    );
    this.#before = (isBuilt ? this.#builder.messages : this.#before).slice(0, whole);
    this.#begins.length = Math.min(this.#begins.length, whole + 1);
    this.#builder = new MessageBuilder();
    this.#built = 0;
  }
}
