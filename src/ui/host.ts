/** Everything that a part of the screen can read and do. */

import type { KeyMap } from "../config/keys.ts";
import type { Signals } from "../context/types.ts";
import type { FieldModel } from "./field.ts";
import type { InputEvent } from "./keys.ts";
import type { FolderFacts } from "./folder-facts.ts";
import type { Settings } from "../config/settings.ts";
import type { Store } from "./store.ts";
import type { Theme, ThemeName } from "./theme.ts";
import type { Next, Panel, ScreenOptions, Send, Services } from "./types.ts";

export interface CurrentSettings {
  readonly current: Settings;
  /** Applies changes of the settings with these ids; returns those that wait until the session is reopened. */
  change(settings: Settings, changed: readonly string[]): string[];
}

/** `group` says what it is about, `usage` which arguments it takes. */
export type CommandHelp = { name: string; group: string; help: string; usage: string };

/** Commands and skills that the user and the project define, for the slash menu. */
export interface UserCommands {
  load(): Promise<void>;
  /** The built-in commands and those last read. */
  readonly all: readonly CommandHelp[];
  /** Whether a text that no built-in command takes can be sent: false for an unknown command alone. */
  canSend(text: string): Promise<boolean>;
}

type StoreParts = "state" | keyof Signals | "nowMs" | "dispatch" | "redraw";

/** Its properties change: read them each time. */
export interface Host extends Pick<Store, StoreParts> {
  readonly theme: Theme;
  readonly keys: KeyMap;
  readonly options: ScreenOptions;
  readonly services: Services;
  readonly settings: CurrentSettings;
  readonly userCommands: UserCommands;
  readonly folder: FolderFacts;
  readonly send: Send;
  /** Opens a panel; null closes the one that is open. */
  readonly show: (panel: Panel | null) => void;
  flash(text: string): void;
  readonly report: (error: unknown) => void;
  /** Takes an event as if the user had pressed the key. */
  readonly press: (...events: readonly InputEvent[]) => void;
  /** Puts text into the prompt, before what is there. */
  setPrompt(text: string): void;
  /** Leaves this session for another one, unless the agent is working. */
  open(next: Next): void;
  /** Gives a key or a paste to a field of a panel; false: it edits nothing. */
  typeInto(field: FieldModel, event: InputEvent): boolean;
  exit(): void;
  toggleVim(): boolean;
  /** Uses a theme now and in later sessions. */
  chooseTheme(theme: ThemeName): void;
  /** Lends the terminal to another program (editor, pager) while `work` runs, then redraws. */
  suspend(work: () => Promise<void>): Promise<void>;
  copy(text: string): void;
}
