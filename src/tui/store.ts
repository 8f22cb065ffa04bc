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

export type StoreOptions = {
  model: string;
  mode: PermissionMode;
  rules: ModelRules;
  policy: Policy;
  history: readonly Entry[];
  now(): number;
};

export class Store {
  readonly #options: StoreOptions;
  readonly #listeners = new Set<() => void>();
  #state: ScreenState;
  #projection: Projection;
  /** Of all branches: a rewind does not undo a bill. */
  readonly #bills = new Bills();

  constructor(options: StoreOptions) {
    this.#options = options;
    const { model, mode, history } = options;
    const resumed = reduce(initialState(model, mode), { type: "resume", entries: history });
    // The model that answers next may be another one than the log's last.
    this.#state = { ...resumed, model };
    for (const entry of history) this.#bills.add(entry);
    this.#projection = new Projection([...itemsOf(this.#state.path)], this.#bills);
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
    if (next.rewinds !== previous.rewinds)
      this.#projection = new Projection([...itemsOf(next.path)], this.#bills);
    else if (action.type === "event" && action.event.type === "entry")
      this.#projection.push(action.event.entry);
    this.changed();
  };

  readonly take = (event: AgentEvent): void =>
    this.dispatch({ type: "event", event, nowMs: this.nowMs });

  /** Something that is drawn changed outside of the state. */
  readonly changed = (): void => {
    for (const listener of this.#listeners) listener();
  };

  notice(text: string): void {
    this.dispatch({ type: "notice", text });
  }

  get nowMs(): number {
    return this.#options.now();
  }

  get view(): View {
    return this.#projection.view;
  }

  get reading(): MeterReading {
    const { rules, policy } = this.#options;
    return measure(this.view, rulesFor(this.view, rules), policy, this.nowMs);
  }
}
