/** The screen's state, drawn or not. The end of a long session is resumed first. */

import { systemClock } from "../base/clock.ts";
import { rulesFor } from "../context/rules/window.ts";
import { measure } from "../context/meter/meter.ts";
import { type Recorded, project } from "../context/view/view.ts";
import type { MeterReading, View } from "../context/types.ts";
import type { Entry } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Delta, ModelRules } from "../protocol/model.ts";
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
  "model" | "settings" | "rules" | "policy" | "live" | "opening" | "now"
>;

/** Milliseconds spent on one piece of a long session; keys are handled between two pieces. */
const pieceMs = 3;

export type Store = ReturnType<typeof screenStore>;

export function screenStore(options: StoreOptions) {
  const { model, settings, policy, live, opening, now = systemClock.now } = options;
  const { log } = live;
  const listeners = new Set<() => void>();
  let nextRules = options.rules;
  let state: ScreenState;
  /** The end of a long session whose beginning is not loaded yet. */
  let end: { rest: ReturnType<typeof resuming> | null; view: View; items: number } | null = null;
  /** How many were known when the session was resumed. */
  const repairs = log.repairs?.length ?? 0;
  const readings = new Memo<MeterReading>();
  /** Of the newest reading: when the server's cache ends. */
  let expiresAtMs: number | null = null;
  let draft = draftView();
  /** The piece of the answer that arrived since the state was read. */
  let unread: { type: "event"; event: Delta; nowMs: number } | null = null;
  resume();

  function resume(): void {
    const isLong = log.isWhole === false || log.entries.length > fewEntries;
    const entries = isLong ? pickNewest(log.entries) : log.entries;
    const resumed = copyState(initialState(model, settings.permissionMode));
    for (const entry of entries) addToState(resumed, entry);
    // The model of the next call may differ from the last one in the log.
    state = { ...resumed, model };
    if (!isLong) return;
    const view = project([...log.path.slice(0, 1), ...entries]);
    end = { rest: null, view, items: resumed.items.length };
  }

  /** Before the first entry, the meter counts system prompt and tools: they are sent with it. */
  function draftView(): View {
    if (!opening) return project([]);
    const at = new Date(now()).toISOString();
    const ids = { id: "draft", parent: null, at, session: "draft" };
    return project([{ type: "session", version: 0, cwd: "", model, ...ids, ...opening }]);
  }

  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  /** The state with everything that has arrived. */
  function getState(): ScreenState {
    if (unread) state = reduce(state, unread);
    unread = null;
    return state;
  }

  const dispatch = (action: Action): void => {
    const before = getState();
    state = reduce(before, action);
    if (state !== before) changed();
  };

  /** Keeps a piece of an answer until the state is read: pieces of a block that came meanwhile are one. */
  function gather(piece: Delta): void {
    const { event } = unread ?? {};
    if (unread && event?.index === piece.index && event.kind === piece.kind) {
      unread.event = { ...event, text: event.text + piece.text };
      return;
    }
    getState();
    unread = { type: "event", event: piece, nowMs: now() };
    changed();
  }

  function advance(isEnough: () => boolean): boolean {
    if (!end) return true;
    if (log.load && !log.load(isEnough)) return false;
    const { items } = end;
    const rest = (end.rest ??= resuming(log, model));
    for (;;) {
      const derived = rest();
      if (live.follow(() => true) && derived) {
        end = null;
        dispatch({ type: "completed", derived, items });
        for (const text of log.repairs?.slice(repairs) ?? []) dispatch({ type: "notice", text });
        return true;
      }
      if (isEnough()) return false;
    }
  }

  return {
    dispatch,
    /** Something that is drawn changed outside the state. */
    changed,
    getState,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    take(event: AgentEvent): void {
      if (event.type === "entry") advance(() => false);
      if (event.type === "rules") nextRules = event.rules;
      if (event.type === "delta") return gather(event);
      dispatch({ type: "event", event, nowMs: now() });
    },
    /** Call when the first facts of a new session have changed. */
    reopen(): void {
      draft = draftView();
      changed();
    },
    complete: () => void advance(() => false),
    /** Loads the beginning of a long session in pieces; keys are handled between them. */
    async fill(): Promise<void> {
      for (let isWhole = false; !isWhole;) {
        await new Promise((resolve) => setImmediate(resolve));
        const endMs = performance.now() + pieceMs;
        isWhole = advance(() => performance.now() > endMs);
      }
    },
    get nowMs(): number {
      return now();
    },
    get view(): View {
      return state.path.length === 0 ? draft : (end?.view ?? live.view);
    },
    /** Rules of the next call's model, with the window that the server reported. */
    get rules(): ModelRules {
      return rulesFor(this.view, nextRules);
    },
    /** Read at most once a second, and again whenever the view or the cache has changed. */
    get reading(): MeterReading {
      const { view, rules, nowMs } = this;
      const second = Math.floor(nowMs / 1_000);
      const isExpired = nowMs >= (expiresAtMs ?? Infinity);
      const keys = [view, view.version, rules, end, second, isExpired];
      const reading = readings.get(keys, () => measure(view, rules, policy, nowMs));
      ({ expiresAtMs } = reading.cache);
      // The cost of a long session is unknown until all of it is loaded.
      return end ? { ...reading, cost: { ...reading.cost, session: 0 } } : reading;
    },
  };
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
