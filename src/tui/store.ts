/** The screen's state outside of React: events of the agent arrive whether it draws or not. */

import { Projection } from "../context/view.ts";
import { Bills } from "../context/bills.ts";
import { rulesFor } from "../context/fit.ts";
import { measure } from "../context/meter.ts";
import type { MeterReading, View } from "../context/types.ts";
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
  readonly #parts: StoreOptions;
  readonly #listeners = new Set<() => void>();
  #state: ScreenState;
  #projection: Projection;
  /** Of all branches: a rewind does not undo a bill. */
  readonly #bills = new Bills();
  #rewinds = 0;

  constructor(parts: StoreOptions) {
    this.#parts = parts;
    this.#state = reduce(initialState(parts.model, parts.mode), {
      type: "resume",
      entries: parts.history,
    });
    this.#rewinds = this.#state.rewinds;
    for (const entry of parts.history) this.#bills.add(entry);
    this.#projection = new Projection([...itemsOf(this.#state.path)], this.#bills);
  }

  readonly getState = (): ScreenState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly dispatch = (action: Action): void => {
    const next = reduce(this.#state, action);
    if (next === this.#state) return;
    this.#state = next;
    if (next.rewinds !== this.#rewinds) {
      this.#rewinds = next.rewinds;
      this.#projection = new Projection([...itemsOf(next.path)], this.#bills);
    } else if (action.type === "event" && action.event.type === "entry")
      this.#projection.push(action.event.entry);
    for (const listener of this.#listeners) listener();
  };

  readonly take = (event: AgentEvent): void =>
    this.dispatch({ type: "event", event, nowMs: this.#parts.now() });

  notice(text: string): void {
    this.dispatch({ type: "notice", text });
  }

  get view(): View {
    return this.#projection.view;
  }

  get reading(): MeterReading {
    const { rules, policy, now } = this.#parts;
    return measure(this.view, rulesFor(this.view, rules), policy, now());
  }
}
