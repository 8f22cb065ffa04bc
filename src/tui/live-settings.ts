import type { Settings } from "../config/settings.ts";
import type { CurrentSettings, Host } from "./host.ts";
import type { ScreenState } from "./state.ts";
import { themeNames } from "./theme.ts";

type SettingsHost = Pick<Host, "state" | "options" | "send" | "dispatch" | "toggleVim" | "open">;

/** The settings as they are now, and how changes to them take effect. */
export class LiveSettings implements CurrentSettings {
  current: Settings;
  readonly #host: SettingsHost;
  /** A change waits until the session is opened again. */
  #isWaiting = false;

  constructor(host: SettingsHost) {
    this.#host = host;
    this.current = host.options.settings;
  }

  change(settings: Settings, changed: readonly string[]): string[] {
    this.current = settings;
    const later = changed.filter((id) => !this.#applyNow(id));
    this.#isWaiting ||= later.length > 0;
    this.applyWaiting();
    return later;
  }

  /**
   * Reopens the session if a change is waiting for that and nothing is running, asking or queued.
   */
  applyWaiting(): void {
    if (!this.#isWaiting || !isIdle(this.#host.state)) return;
    this.#isWaiting = false;
    this.#host.open({ kind: "settings", settings: this.#kept() });
  }

  #applyNow(id: string): boolean {
    const { send, dispatch, toggleVim } = this.#host;
    const { permissionMode, effort, theme: wanted } = this.current;
    const theme = themeNames.find((name) => name === wanted);
    if (id === "permissionMode") send({ type: "mode", mode: permissionMode });
    else if (id === "effort") send({ type: "effort", effort: effort ?? null });
    else if (id === "vim") toggleVim();
    else if (id === "theme" && theme) dispatch({ type: "theme", theme });
    else return false;
    return true;
  }

  /** Keeps what was switched in this session, unless it was changed here. */
  #kept(): Settings {
    const { state, options } = this.#host;
    const isSame = <K extends keyof Settings>(name: K): boolean =>
      this.current[name] === options.settings[name];
    return {
      ...this.current,
      ...(isSame("permissionMode") ? { permissionMode: state.mode } : {}),
      ...(isSame("theme") && state.theme !== null ? { theme: state.theme } : {}),
      ...(isSame("model") && state.model !== "offline" ? { model: state.model } : {}),
    };
  }
}

const isIdle = ({ phase, asks, queue }: ScreenState): boolean =>
  phase === "idle" && asks.length === 0 && queue.length === 0;
