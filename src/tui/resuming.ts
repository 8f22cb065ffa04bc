/** A resumed session. A long one is loaded in pieces, its end first. */

import { lookAt, type Recorded } from "../context/live-view.ts";
import type { Entry } from "../protocol/entry.ts";
import { addToState, emptyDerivedState, type DerivedState } from "./derived-state.ts";
import type { Draft } from "./items.ts";
import type { Find } from "./packed.ts";

/** Entries at the end that are loaded first: several screens full. */
const tailEntries = 400;

/** A session with at most this many entries is loaded at once. */
const fewEntries = 2_000;

/** Entries in one piece. */
const stride = 50;

export class Resuming {
  readonly #log: Recorded;
  /** Excludes entries that are appended later. */
  readonly #count: number;
  #taken = 0;
  readonly #state: Draft<DerivedState>;

  constructor(log: Recorded, model: string, find?: Find) {
    this.#log = log;
    this.#count = log.entries.length;
    this.#state = emptyDerivedState(model, find);
  }

  get isLong(): boolean {
    return this.#count > fewEntries;
  }

  /** Its last entries, starting at a message that began a turn, if one is among them. */
  get tail(): readonly Entry[] {
    const tail: Entry[] = [];
    for (let at = Math.max(0, this.#count - tailEntries); at < this.#count; at++) {
      const entry = lookAt(this.#log, at);
      if (entry) tail.push(entry);
    }
    return tail.slice(
      Math.max(
        0,
        tail.findIndex((entry) => entry.type === "user" && !entry.midTurn),
      ),
    );
  }

  /** Takes one more piece; returns the state once it is complete. */
  advance(): DerivedState | null {
    for (const end = Math.min(this.#count, this.#taken + stride); this.#taken < end;) {
      const entry = lookAt(this.#log, this.#taken++);
      if (entry) addToState(this.#state, entry);
    }
    return this.#taken < this.#count ? null : this.#state;
  }
}
