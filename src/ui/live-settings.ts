/** Current settings; applies changes while the screen is open. */

import type { Settings } from "../config/settings.ts";
import type { Actions } from "./actions.ts";
import type { ScreenState } from "./state.ts";
import type { Store } from "./store.ts";
import { themeNames } from "./theme.ts";

export type LiveSettings = ReturnType<typeof liveSettings>;

export function liveSettings(
  initial: Settings,
  store: Pick<Store, "state" | "dispatch">,
  { send, open, toggleVim }: Pick<Actions, "send" | "open" | "toggleVim">,
) {
  let current = initial;
  /** A change requires reopening the session. */
  let isWaiting = false;

  function applyNow(id: string): boolean {
    const { permissionMode, effort, theme: wanted } = current;
    const theme = themeNames.find((name) => name === wanted);
    if (id === "permissionMode") send({ type: "mode", mode: permissionMode });
    else if (id === "effort") send({ type: "effort", effort: effort ?? null });
    else if (id === "vim") toggleVim();
    else if (id === "theme" && theme) store.dispatch({ type: "set", theme });
    else return false;
    return true;
  }

  /** Reopens the session for pending changes once nothing is running, asking or queued. */
  function applyWaiting(): void {
    if (!isWaiting || !isIdle(store.state)) return;
    isWaiting = false;
    open({ kind: "settings", settings: kept() });
  }

  /** The settings plus changes made by key or command, such as the mode. */
  function kept(): Settings {
    const { mode, theme, model } = store.state;
    const isSame = (name: keyof Settings): boolean => current[name] === initial[name];
    return {
      ...current,
      ...(isSame("permissionMode") ? { permissionMode: mode } : {}),
      ...(isSame("theme") && theme !== null ? { theme } : {}),
      ...(isSame("model") && model !== "offline" ? { model } : {}),
    };
  }

  return {
    get current(): Settings {
      return current;
    },
    /** Applies changed settings; returns the ids that require reopening the session. */
    change(settings: Settings, changed: readonly string[]): string[] {
      current = settings;
      const later = changed.filter((id) => !applyNow(id));
      isWaiting ||= later.length > 0;
      applyWaiting();
      return later;
    },
    applyWaiting,
  };
}

const isIdle = ({ phase, asks, queue }: ScreenState): boolean =>
  phase === "idle" && asks.length === 0 && queue.length === 0;
