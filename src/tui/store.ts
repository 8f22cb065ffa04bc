/** The screen's state outside of React: events of the agent arrive whether it draws or not. */

import { Bills } from "../context/bills.ts";
import { rulesFor } from "../context/fit.ts";
import { measure } from "../context/meter.ts";
import type { MeterReading, View } from "../context/types.ts";
import { Projection } from "../context/view.ts";
import type { Entry } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { Policy } from "../protocol/policy.ts";
import { itemsOf } from "./list.ts";
import { initialState, reduce, type Action, type ScreenState } from "./state.ts";
import type { Opening } from "./types.ts";

type StoreOptions = {
  model: string;
  mode: PermissionMode;
  rules: ModelRules;
  policy: Policy;
  history: readonly Entry[];
  opening?: Opening | undefined;
  now(): number;
};

export class Store {
  readonly #options: StoreOptions;
  readonly #listeners = new Set<() => void>();
  #state: ScreenState;
  #rules: ModelRules;
  #projection: Projection;
  /** Of all branches: a rewind does not undo a bill. */
  readonly #bills = new Bills();

  constructor(options: StoreOptions) {
    this.#options = options;
    const { model, mode, history } = options;
    this.#rules = options.rules;
    const resumed = reduce(initialState(model, mode), { type: "resume", entries: history });
    // The model that answers next may be another one than the log's last.
    this.#state = { ...resumed, model };
    for (const entry of history) this.#bills.add(entry);
    this.#projection = this.#project();
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
    const isFirst = previous.path.length === 0 && next.path.length > 0;
    if (next.rewinds !== previous.rewinds || isFirst) this.#projection = this.#project();
    else if (action.type === "event" && action.event.type === "entry")
      this.#projection.push(action.event.entry);
    this.changed();
  };

  readonly take = (event: AgentEvent): void => {
    if (event.type === "rules") this.#rules = event.rules;
    this.dispatch({ type: "event", event, nowMs: this.nowMs });
  };

  /** Something that is drawn changed outside of the state. */
  readonly changed = (): void => {
    for (const listener of this.#listeners) listener();
  };

  /** What a new session will send first has changed. */
  readonly reopen = (): void => {
    if (this.#state.path.length === 0) this.#projection = this.#project();
    this.changed();
  };

  notice(text: string): void {
    this.dispatch({ type: "notice", text });
  }

  /** Before the first entry, the meter counts system prompt and tools: they are sent with it. */
  #project(): Projection {
    const { opening, model } = this.#options;
    const { path } = this.#state;
    if (path.length > 0 || !opening) return new Projection([...itemsOf(path)], this.#bills);
    const at = new Date(this.nowMs).toISOString();
    const ids = { id: "draft", parent: null, at, session: "draft" };
    return new Projection([{ type: "session", version: 0, cwd: "", model, ...ids, ...opening }]);
  }

  get nowMs(): number {
    return this.#options.now();
  }

  get view(): View {
    return this.#projection.view;
  }

  /** Of the model that answers next, with the window that the server reported. */
  get rules(): ModelRules {
    return rulesFor(this.view, this.#rules);
  }

  get reading(): MeterReading {
    return measure(this.view, this.rules, this.#options.policy, this.nowMs);
  }
}
