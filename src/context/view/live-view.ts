import type { Entry } from "../../protocol/entry.ts";
import { Bills } from "../meter/bills.ts";
import type { View } from "../types.ts";
import { Projection } from "./view.ts";

/** A log that grows. `path` is a new array when the head moves; `entries`: of all branches. */
export type Recorded = {
  readonly path: readonly Entry[];
  readonly entries: readonly Entry[];
  /** False while only the end of a long log has been read; `load` reads on until `isEnough`. */
  readonly isWhole?: boolean;
  load?(isEnough: () => boolean): boolean;
  /** What was wrong with it, one sentence each. */
  readonly repairs?: readonly string[];
};

/** Entries between two checks of the clock. */
const stride = 50;

/** The view of a growing log. Everything that shows the same session shares one. */
export class LiveView {
  readonly log: Recorded;
  readonly #bills = new Bills();
  #path: readonly Entry[] = [];
  #projection = new Projection([], this.#bills);
  /** Entries of the log that were processed, and how many of them are on the path. */
  #seen = 0;
  #pushed = 0;

  constructor(log: Recorded) {
    this.log = log;
  }

  get view(): View {
    this.follow(() => false);
    return this.#projection.view;
  }

  /** Follows the log until `isEnough`. Returns whether it has reached the end. */
  follow(isEnough: () => boolean): boolean {
    const { path, entries } = this.log;
    if (path !== this.#path) {
      this.#path = path;
      this.#projection = new Projection([], this.#bills);
      [this.#seen, this.#pushed] = [0, 0];
    }
    const { length } = entries;
    const hasBranches = length > path.length;
    while (this.#seen < length) {
      const entry = entries[this.#seen++];
      if (!entry) break;
      // Other branches stay billed after a rewind.
      if (hasBranches && entry.id !== path[this.#pushed]?.id) this.#bills.add(entry);
      else {
        this.#projection.push(entry);
        this.#pushed++;
      }
      if (this.#seen % stride === 0 && isEnough()) return false;
    }
    return true;
  }
}
