/** The screen's state, drawn or not. The end of a long session is resumed first. */

import { systemClock } from "../base/clock.ts";
import { rulesFor } from "../context/rules/window.ts";
import { measure } from "../context/meter/meter.ts";
import { type Recorded, project } from "../context/view/view.ts";
import type { MeterReading, View } from "../context/types.ts";
import type { Entry } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Delta, ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import {
  type Action,
  addToState,
  copyState,
  type DerivedState,
  emptyDerivedState,
  initialState,
  reduce,
  type ScreenState,
} from "./state.ts";
import { Memo } from "./memo.ts";
import type { ScreenOptions } from "./types.ts";

type StoreOptions = Pick<
  ScreenOptions,
  "model" | "settings" | "rules" | "live" | "opening" | "now"
>;

/** Milliseconds spent on one piece of a long session; keys are handled between two pieces. */
const pieceMs = 3;

export class Store {
  readonly #options: StoreOptions;
  readonly #listeners = new Set<() => void>();
  /** Counts what may change anything on the screen; not the pieces of a text that is being streamed. */
  revision = 0;
  #rules: ModelRules;
  #state: ScreenState;
  /** The end of a long session whose beginning is not loaded yet. */
  #end: { rest: ReturnType<typeof resuming> | null; view: View; items: number } | null = null;
  /** How many were known when the session was resumed. */
  readonly #repairs: number;
  readonly #readings = new Memo<MeterReading>();
  /** Of the newest reading: when the server's cache ends. */
  #expiresAtMs: number | null = null;
  #draft: View;
  /** The piece of the answer that arrived since the state was read. */
  #unread: { type: "event"; event: Delta; nowMs: number } | null = null;

  constructor(options: StoreOptions) {
    const { model, settings } = options;
    const { log } = options.live;
    this.#options = options;
    this.#rules = options.rules;
    this.#repairs = log.repairs?.length ?? 0;
    this.#draft = this.#draftView();
    const isLong = log.entries.length > fewEntries;
    const entries = isLong ? pickNewest(log.entries) : log.entries;
    const resumed = copyState(initialState(model, settings.permissionMode));
    for (const entry of entries) addToState(resumed, entry);
    // The model of the next call may differ from the last one in the log.
    this.#state = { ...resumed, model };
    if (!isLong) return;
    const view = project([...log.path.slice(0, 1), ...entries]);
    this.#end = { rest: null, view, items: resumed.items.length };
  }

  /** Before the first entry, the meter counts system prompt and tools: they are sent with it. */
  #draftView(): View {
    const { opening, model } = this.#options;
    if (!opening) return project([]);
    const at = new Date(this.nowMs).toISOString();
    const ids = { id: "draft", parent: null, at, session: "draft" };
    return project([{ type: "session", version: 0, cwd: "", model, ...ids, ...opening }]);
  }

  /** Something that is drawn changed, perhaps outside the state; a key press redraws anyway. */
  readonly redraw = (): void => {
    this.revision++;
    for (const listener of this.#listeners) listener();
  };

  /** The state with everything that has arrived. */
  get state(): ScreenState {
    if (this.#unread) this.#state = reduce(this.#state, this.#unread);
    this.#unread = null;
    return this.#state;
  }

  readonly dispatch = (action: Action): void => {
    const before = this.state;
    this.#state = reduce(before, action);
    if (this.#state !== before) this.redraw();
  };

  /** Keeps a piece of an answer until the state is read: pieces of a block that came meanwhile are one. */
  #gather(piece: Delta): void {
    const unread = this.#unread;
    if (unread?.event.index === piece.index && unread.event.kind === piece.kind) {
      unread.event = { ...unread.event, text: unread.event.text + piece.text };
      return;
    }
    const { phase, answer } = (this.#state = this.state);
    const open = answer.at(-1);
    this.#unread = { type: "event", event: piece, nowMs: this.nowMs };
    const isMore = open?.index === piece.index && open.kind === piece.kind;
    if (phase !== "streaming" || !isMore) this.revision++;
    for (const listener of this.#listeners) listener();
  }

  #advance(isEnough: () => boolean): boolean {
    const end = this.#end;
    if (!end) return true;
    const { log } = this.#options.live;
    const rest = (end.rest ??= resuming(log, this.#options.model));
    for (;;) {
      const derived = rest();
      if (this.#options.live.follow(() => true) && derived) {
        this.#end = null;
        this.dispatch({ type: "completed", derived, items: end.items });
        for (const text of log.repairs?.slice(this.#repairs) ?? [])
          this.dispatch({ type: "notice", text });
        return true;
      }
      if (isEnough()) return false;
    }
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  take(event: AgentEvent): void {
    if (event.type === "entry") this.complete();
    if (event.type === "rules") this.#rules = event.rules;
    if (event.type === "delta") return this.#gather(event);
    this.revision++;
    this.dispatch({ type: "event", event, nowMs: this.nowMs });
  }

  /** Call when the first facts of a new session have changed. */
  readonly reopen = (): void => {
    this.#draft = this.#draftView();
    this.redraw();
  };

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

  get policy(): Policy {
    return this.#options.settings.policy;
  }

  get nowMs(): number {
    return (this.#options.now ?? systemClock.now)();
  }

  get view(): View {
    return this.#state.path.length === 0
      ? this.#draft
      : (this.#end?.view ?? this.#options.live.view);
  }

  /** Rules of the next call's model, with the window that the server reported. */
  get rules(): ModelRules {
    return rulesFor(this.view, this.#rules);
  }

  /** Read at most once a second, and again whenever the view or the cache has changed. */
  get reading(): MeterReading {
    const { view, rules, nowMs } = this;
    const second = Math.floor(nowMs / 1_000);
    const isExpired = nowMs >= (this.#expiresAtMs ?? Infinity);
    const keys = [view, view.version, rules, this.#end, second, isExpired];
    const reading = this.#readings.get(keys, () => measure(view, rules, this.policy, nowMs));
    this.#expiresAtMs = reading.cache.expiresAtMs;
    // The cost of a long session is unknown until all of it is loaded.
    return this.#end ? { ...reading, cost: { ...reading.cost, session: 0 } } : reading;
  }
}

/** Entries at the end that are loaded first: several screens full. */
const tailEntries = 400;

/** A session with at most this many entries is loaded at once. */
const fewEntries = 2_000;

const stride = 50;

/** The newest entries, starting at a message that began a turn, if one is among them. */
function pickNewest(entries: readonly Entry[]): readonly Entry[] {
  const newest = entries.slice(-tailEntries);
  const start = newest.findIndex((entry) => entry.type === "user" && !entry.midTurn);
  return newest.slice(Math.max(0, start));
}

/** Resumes a long session in pieces: each call takes one; the last returns the state. */
function resuming(log: Recorded, model: string): () => DerivedState | null {
  // Excludes entries that are appended later.
  const count = log.entries.length;
  const state = copyState(emptyDerivedState(model));
  let taken = 0;
  return () => {
    for (const entry of log.entries.slice(taken, Math.min(count, taken + stride)))
      addToState(state, entry);
    taken += stride;
    return taken < count ? null : state;
  };
}
