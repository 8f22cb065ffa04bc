/**
 * The screen's state, which takes the agent's events whether or not the screen draws. The end of a
 * long session is resumed first.
 */

import { systemClock } from "../protocol/clock.ts";
import { rulesFor } from "../context/fit.ts";
import { measure } from "../context/meter.ts";
import { lookAt, type Recorded } from "../context/live-view.ts";
import type { MeterReading, View } from "../context/types.ts";
import { project } from "../context/view.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRules } from "../protocol/model.ts";
import { addToState, emptyDerivedState, withEntry, type DerivedState } from "./derived-state.ts";
import type { Draft } from "./items.ts";
import type { Find } from "./packed.ts";
import { initialState, reduce, type Action, type ScreenState } from "./state.ts";
import type { ScreenOptions } from "./types.ts";

type StoreOptions = Pick<
  ScreenOptions,
  "model" | "settings" | "rules" | "policy" | "live" | "opening" | "now"
>;

/** Milliseconds spent on one piece of a long session; keys are handled between two pieces. */
const pieceMs = 3;

export class Store {
  readonly #options: StoreOptions;
  readonly #listeners = new Set<() => void>();
  #state: ScreenState;
  #rules: ModelRules;
  /** The end of a long session whose beginning is not loaded yet. */
  #resuming: { rest: ReturnType<typeof resuming>; view: View; items: number } | null = null;
  /** Before the first entry. */
  #draft: View;

  constructor(options: StoreOptions) {
    this.#options = options;
    const { model, settings, live } = options;
    this.#rules = options.rules;
    this.#draft = this.#project();
    const { log } = live;
    const find = log.get && ((id: EntryId) => log.get?.(id));
    const rest = resuming(log, model, find);
    const entries = rest.isLong ? rest.tail() : live.log.entries;
    const initial = initialState(model, settings.permissionMode, find);
    const resumed = entries.reduce(withEntry, initial);
    // The model of the next call may differ from the last one in the log.
    this.#state = { ...resumed, model };
    if (!rest.isLong) return;
    const view = project([...live.log.path.slice(0, 1), ...entries]);
    this.#resuming = { rest, view, items: resumed.items.length };
  }

  readonly getState = (): ScreenState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly dispatch = (action: Action): void => {
    const previous = this.#state;
    const next = reduce(previous, action);
    if (next === previous) return;
    this.#state = next;
    this.changed();
  };

  readonly take = (event: AgentEvent): void => {
    if (event.type === "entry") this.complete();
    if (event.type === "rules") this.#rules = event.rules;
    this.dispatch({ type: "event", event, nowMs: this.nowMs });
  };

  /** Something that is drawn changed outside the state. */
  readonly changed = (): void => {
    for (const listener of this.#listeners) listener();
  };

  /** What a new session will send first has changed. */
  readonly reopen = (): void => {
    this.#draft = this.#project();
    this.changed();
  };

  /** Loads the beginning of a long session now. */
  complete(): void {
    this.#advance(() => false);
  }

  /** Loads the beginning of a long session in pieces; keys are handled between them. */
  async fill(): Promise<void> {
    for (let isWhole = false; !isWhole;) {
      await new Promise((resolve) => setImmediate(resolve));
      const endMs = performance.now() + pieceMs;
      isWhole = this.#advance(() => performance.now() > endMs);
    }
  }

  #advance(isEnough: () => boolean): boolean {
    if (!this.#resuming) return true;
    const { rest, items } = this.#resuming;
    // Both together: an old entry that was read for one is at hand for the other.
    for (;;) {
      const derived = rest.advance();
      if (this.#options.live.follow(() => true) && derived) {
        this.#resuming = null;
        this.dispatch({ type: "completed", derived, items });
        return true;
      }
      if (isEnough()) return false;
    }
  }

  /** Before the first entry, the meter counts system prompt and tools: they are sent with it. */
  #project(): View {
    const { opening, model } = this.#options;
    if (!opening) return project([]);
    const at = new Date(this.nowMs).toISOString();
    const ids = { id: "draft", parent: null, at, session: "draft" };
    return project([{ type: "session", version: 0, cwd: "", model, ...ids, ...opening }]);
  }

  get nowMs(): number {
    return (this.#options.now ?? systemClock.now)();
  }

  get view(): View {
    if (this.#state.path.length === 0) return this.#draft;
    return this.#resuming?.view ?? this.#options.live.view;
  }

  /** Rules of the next call's model, with the window that the server reported. */
  get rules(): ModelRules {
    return rulesFor(this.view, this.#rules);
  }

  get reading(): MeterReading {
    const reading = measure(this.view, this.rules, this.#options.policy, this.nowMs);
    // The cost of a long session is unknown until all of it is loaded.
    return this.#resuming ? { ...reading, cost: { ...reading.cost, session: 0 } } : reading;
  }
}

/** Entries at the end that are loaded first: several screens full. */
const tailEntries = 400;

/** A session with at most this many entries is loaded at once. */
const fewEntries = 2_000;

/** Entries in one piece. */
const stride = 50;

/** A resumed session. A long one is loaded in pieces, its end first. */
function resuming(log: Recorded, model: string, find?: Find) {
  // Excludes entries that are appended later.
  const count = log.entries.length;
  const state: Draft<DerivedState> = emptyDerivedState(model, find);
  let taken = 0;
  return {
    isLong: count > fewEntries,
    /** Its last entries, starting at a message that began a turn, if one is among them. */
    tail(): readonly Entry[] {
      const tail: Entry[] = [];
      for (let at = Math.max(0, count - tailEntries); at < count; at++) {
        const entry = lookAt(log, at);
        if (entry) tail.push(entry);
      }
      const start = tail.findIndex((entry) => entry.type === "user" && !entry.midTurn);
      return tail.slice(Math.max(0, start));
    },
    /** Takes one more piece; returns the state once it is complete. */
    advance(): DerivedState | null {
      for (const end = Math.min(count, taken + stride); taken < end;) {
        const entry = lookAt(log, taken++);
        if (entry) addToState(state, entry);
      }
      return taken < count ? null : state;
    },
  };
}
