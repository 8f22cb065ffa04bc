/** The screen's state, drawn or not. */

import { systemClock } from "../base/clock.ts";
import { rulesFor } from "../context/rules/window.ts";
import { measure } from "../context/meter/meter.ts";
import { project } from "../context/view/view.ts";
import type { MeterReading, View } from "../context/types.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Delta, ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import {
  type Action,
  addToState,
  copyState,
  initialState,
  reduce,
  type ScreenState,
} from "./state.ts";
import { Memo } from "./memo.ts";
import { makeTheme, type Theme } from "./theme.ts";
import type { ScreenOptions } from "./types.ts";

type StoreOptions = Pick<
  ScreenOptions,
  "model" | "settings" | "rules" | "live" | "opening" | "now"
>;

export class Store {
  readonly #options: StoreOptions;
  readonly #terminalTheme: () => Theme;
  readonly #chosenTheme = new Memo<Theme>();
  #throttled = { second: 0, liveChars: 0 };
  readonly #throttledState = new Memo<ScreenState>();
  readonly #listeners = new Set<() => void>();
  /** Incremented by every change that may affect the layout; streamed text does not count. */
  revision = 0;
  #rules: ModelRules;
  #state: ScreenState;
  readonly #readings = new Memo<MeterReading>();
  /** Cache expiry of the latest reading. */
  #expiresAtMs: number | null = null;
  #draft: View;
  /** Streamed text since the state was last read. */
  #unread: { type: "event"; event: Delta; nowMs: number } | null = null;

  constructor(options: StoreOptions, terminalTheme = (): Theme => makeTheme("none")) {
    const { model, settings } = options;
    const { log } = options.live;
    this.#options = options;
    this.#terminalTheme = terminalTheme;
    this.#rules = options.rules;
    this.#draft = this.#draftView();
    const resumed = copyState(initialState(model, settings.permissionMode));
    for (const entry of log.entries) addToState(resumed, entry);
    // The model of the next call may differ from the last one in the log.
    this.#state = { ...resumed, model };
  }

  /** Empty session: the meter still counts the system prompt and tools. */
  #draftView(): View {
    const { opening, model } = this.#options;
    if (!opening) return project([]);
    const at = new Date(this.nowMs).toISOString();
    const ids = { id: "draft", parent: null, at, session: "draft" };
    return project([{ type: "session", version: 0, cwd: "", model, ...ids, ...opening }]);
  }

  /** Requests a redraw for changes outside the state. Keys redraw anyway. */
  readonly redraw = (): void => {
    this.revision++;
    for (const listener of this.#listeners) listener();
  };

  /** The state, including all received text. */
  get state(): ScreenState {
    if (this.#unread) this.#state = reduce(this.#state, this.#unread);
    this.#unread = null;
    return this.#state;
  }

  /**
   * The state, with the length of the streamed answer updated once a second: a number that changed
   * with every token would cost more bytes than the token.
   */
  get throttledState(): ScreenState {
    const { state } = this;
    const second = Math.floor(this.nowMs / 1_000);
    if (second !== this.#throttled.second || state.liveChars < this.#throttled.liveChars)
      this.#throttled = { second, liveChars: state.liveChars };
    const { liveChars } = this.#throttled;
    return this.#throttledState.get([state, liveChars], () => ({ ...state, liveChars }));
  }

  readonly dispatch = (action: Action): void => {
    const before = this.state;
    this.#state = reduce(before, action);
    if (this.#state !== before) this.redraw();
  };

  /** Merges streamed pieces of a block until the state is read. */
  #gather(piece: Delta): void {
    const unread = this.#unread;
    if (unread?.event.index === piece.index && unread.event.kind === piece.kind) {
      unread.event = { ...unread.event, text: unread.event.text + piece.text };
      return;
    }
    const { phase, answer } = (this.#state = this.state);
    const open = answer.at(-1);
    this.#unread = { type: "event", event: piece, nowMs: this.nowMs };
    const isContinued = open?.index === piece.index && open.kind === piece.kind;
    if (phase !== "streaming" || !isContinued) this.revision++;
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  take(event: AgentEvent): void {
    if (event.type === "rules") this.#rules = event.rules;
    if (event.type === "delta") return this.#gather(event);
    this.revision++;
    this.dispatch({ type: "event", event, nowMs: this.nowMs });
  }

  /** Call when the opening of a new session has changed. */
  readonly reopen = (): void => {
    this.#draft = this.#draftView();
    this.redraw();
  };

  get theme(): Theme {
    const { theme: chosen } = this.state;
    const theme = this.#terminalTheme();
    return chosen === null
      ? theme
      : this.#chosenTheme.get([chosen], () => makeTheme(chosen, theme.colors));
  }

  get policy(): Policy {
    return this.#options.settings;
  }

  get nowMs(): number {
    return (this.#options.now ?? systemClock.now)();
  }

  get view(): View {
    return this.#state.path.length === 0 ? this.#draft : this.#options.live.view;
  }

  /** Rules of the next call's model, with the window that the server reported. */
  get rules(): ModelRules {
    return rulesFor(this.view, this.#rules);
  }

  /** Recomputed once a second, and whenever the view or the cache changes. */
  get reading(): MeterReading {
    const { view, rules, nowMs } = this;
    const second = Math.floor(nowMs / 1_000);
    const isExpired = nowMs >= (this.#expiresAtMs ?? Infinity);
    const keys = [view, view.version, rules, second, isExpired];
    const reading = this.#readings.get(keys, () => measure(view, rules, this.policy, nowMs));
    this.#expiresAtMs = reading.cache.expiresAtMs;
    return reading;
  }
}
