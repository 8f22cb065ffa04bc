/** Everything that a part of the screen can read and do. */

import { errorMessage } from "../base/in-words.ts";
import type { KeyMap } from "../config/keys.ts";
import type { Settings } from "../config/settings.ts";
import type { FieldModel } from "./components/field.tsx";
import { FolderFacts } from "./folder-facts.ts";
import type { InputEvent } from "./keys.ts";
import { Memo } from "./memo.ts";
import type { ScreenState } from "./state.ts";
import { Store } from "./store.ts";
import { makeTheme, type Theme, type ThemeName, themeNames } from "./theme.ts";
import type { Next, Panel, ScreenOptions, Send, Services, UserCommand } from "./types.ts";

export type HostParts = {
  options: ScreenOptions;
  keys: KeyMap;
  terminal: {
    readonly theme: Theme;
    type: Host["typeInto"];
    /** Returns whether the mouse is on now; null: it cannot be. */
    toggleMouse(): boolean | null;
    repaint(): void;
    write(code: string): void;
    suspend(work: () => Promise<void>): Promise<void>;
  };
  leave(code: number, next?: Next): void;
};

const flashMs = 5_000;

/** Its properties change: read them each time. */
export abstract class Host extends Store {
  readonly options: ScreenOptions;
  readonly services: Services;
  readonly keys: KeyMap;
  readonly send: Send;
  readonly terminal: HostParts["terminal"];
  readonly folder: FolderFacts;
  readonly settings: ReturnType<typeof liveSettings>;
  /** Commands and skills of the user and the project, as last read. */
  userCommands: readonly UserCommand[] = [];
  /** The user has left: whatever is typed from now on is a draft for the next screen. */
  hasLeft = false;
  readonly #leave: HostParts["leave"];
  readonly #chosenTheme = new Memo<Theme>();

  constructor({ options, keys, terminal, leave }: HostParts) {
    super(options);
    this.options = options;
    this.services = options.services;
    this.keys = keys;
    this.send = options.send;
    this.terminal = terminal;
    this.folder = new FolderFacts(options.services, this.redraw);
    this.settings = liveSettings(this);
    this.#leave = (code, next) => {
      this.hasLeft = true;
      leave(code, next);
    };
  }

  async loadUserCommands(): Promise<void> {
    this.userCommands = await this.services.commands().catch(() => []);
    this.redraw();
  }

  /** Takes an event as if the user had pressed the key. */
  abstract readonly press: (...events: readonly InputEvent[]) => void;

  /** Puts text into the prompt, before what is there. */
  abstract readonly setPrompt: (text: string) => void;

  abstract readonly toggleVim: () => boolean;

  /** The size at which the next compaction comes, by the forecast; null: none is known. */
  abstract readonly nextCutTokens: number | null;

  get theme(): Theme {
    const { theme: chosen } = this.state;
    const { theme } = this.terminal;
    return chosen === null
      ? theme
      : this.#chosenTheme.get([chosen], () => makeTheme(chosen, theme.colors));
  }

  /** Opens a panel; null closes the one that is open. */
  readonly show = (panel: Panel | null): void => this.dispatch({ type: "set", panel });

  readonly flash = (text: string): void =>
    this.dispatch({ type: "set", flash: { text, untilMs: this.nowMs + flashMs } });

  readonly report = (error: unknown): void => this.flash(errorMessage(error));

  /** Gives a key or a paste to a field of a panel; false: it edits nothing. */
  readonly typeInto = (field: FieldModel, event: InputEvent): boolean =>
    this.terminal.type(field, event);

  readonly exit = (): void => this.#leave(0);

  /** Leaves this session for another one, unless the agent is working. */
  readonly open = (next: Next): void => {
    const { phase, asks } = this.state;
    if (phase === "idle" && asks.length === 0) this.#leave(0, next);
    else this.flash("The agent is working. Press Esc to stop it first.");
  };

  /** Lends the terminal to another program (editor, pager) while `work` runs, then redraws. */
  readonly suspend = (work: () => Promise<void>): Promise<void> =>
    this.terminal.suspend(work).catch(this.report);

  readonly copy = (text: string): void => {
    this.terminal.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
    this.services.copyWithProgram(text);
  };

  /** Uses a theme now and in later sessions. */
  readonly chooseTheme = (theme: ThemeName): void => {
    this.dispatch({ type: "set", theme });
    this.services.saveSetting("theme", theme).catch(this.report);
  };
}

/** The settings as they are now, and how changes to them take effect. */
function liveSettings(host: Host) {
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
    else if (id === "theme" && theme) dispatch({ type: "set", theme });
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
    /** Applies changes of the settings with these ids; returns those that wait until the session is reopened. */
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
