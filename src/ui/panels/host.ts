/** Everything that a panel can read and do. */

import type { Actions } from "../actions.ts";
import type { Shared } from "../shared.ts";
import type { Store } from "../store.ts";

export type Host = Shared &
  Actions &
  Pick<
    Store,
    "state" | "view" | "rules" | "policy" | "reading" | "nowMs" | "theme" | "dispatch" | "redraw"
  > & { readonly nextCutTokens: number | null };

export function panelHost(shared: Shared, nextCutTokens: () => number | null): Host {
  const { store } = shared;
  return {
    ...shared,
    ...shared.actions,
    dispatch: store.dispatch,
    redraw: store.redraw,
    get state() {
      return store.state;
    },
    get view() {
      return store.view;
    },
    get rules() {
      return store.rules;
    },
    get policy() {
      return store.policy;
    },
    get reading() {
      return store.reading;
    },
    get nowMs() {
      return store.nowMs;
    },
    get theme() {
      return store.theme;
    },
    get nextCutTokens() {
      return nextCutTokens();
    },
  };
}
