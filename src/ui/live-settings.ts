import type { Settings } from "../config/settings.ts";
import type { Host } from "./host.ts";
import type { ScreenState } from "./state.ts";
import { themeNames } from "./theme.ts";

type SettingsHost = Pick<Host, "state" | "options" | "send" | "dispatch" | "toggleVim" | "open">;

/** The settings as they are now, and how changes to them take effect. */
export function liveSettings(host: SettingsHost) {
  let { settings: current } = host.options;
  /** Some change takes effect only when the session is reopened. */
  let isWaiting = false;

  function applyNow(id: string): boolean {
    const { send, dispatch, toggleVim } = host;
    const { permissionMode, effort, theme: wanted } = current;
    const theme = themeNames.find((name) => name === wanted);
    if (id === "permissionMode") send({ type: "mode", mode: permissionMode });
    else if (id === "effort") send({ type: "effort", effort: effort ?? null });
    else if (id === "vim") toggleVim();
    else if (id === "theme" && theme) dispatch({ type: "theme", theme });
    else return false;
    return true;
  }

  /** Reopens the session if a change is waiting for that and nothing is running, asking or queued. */
  function applyWaiting(): void {
    if (!isWaiting || !isIdle(host.state)) return;
    isWaiting = false;
    host.open({ kind: "settings", settings: kept() });
  }

  /** The settings, with what the user switched by key or command since, such as the mode. */
  function kept(): Settings {
    const { state, options } = host;
    const isSame = (name: keyof Settings): boolean => current[name] === options.settings[name];
    return {
      ...current,
      ...(isSame("permissionMode") ? { permissionMode: state.mode } : {}),
      ...(isSame("theme") && state.theme !== null ? { theme: state.theme } : {}),
      ...(isSame("model") && state.model !== "offline" ? { model: state.model } : {}),
    };
  }

  return {
    get current(): Settings {
      return current;
    },
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
