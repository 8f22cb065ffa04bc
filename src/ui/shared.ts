/** State and services shared by the parts of the screen; a part takes only the members it needs. */

import type { ReactNode } from "react";
import type { KeyAction, KeyMap } from "../config/keys.ts";
import type { Actions } from "./actions.ts";
import type { FolderFacts } from "./folder-facts.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { Store } from "./store.ts";
import type { PanelName, ScreenOptions, Services } from "./types.ts";

export type Shared = {
  /** State, view and meter reading. Do not cache: they are replaced on change. */
  readonly store: Store;
  readonly actions: Actions;
  readonly services: Services;
  readonly keys: KeyMap;
  readonly settings: LiveSettings;
  readonly session: SessionFacts;
  readonly folder: FolderFacts;
  readonly panels: readonly PanelRow<PanelName>[];
};

export type PanelRow<Kind> = {
  readonly kind: Kind;
  /** `argument`: the text after the slash command. */
  Panel(props: { argument: string }): ReactNode;
  readonly key?: KeyAction;
  /** The slash command; `run` overrides opening the panel. */
  readonly command?: readonly [
    usage: string,
    help: string,
    group: CommandGroup,
    run: RunSlashCommand | undefined,
  ];
};

/** Command groups in display order. */
export const commandGroups = [
  "every day",
  "context",
  "session",
  "project",
  "how it works",
] as const;

export type CommandGroup = (typeof commandGroups)[number];

/** A returned promise delays later input. */
export type RunSlashCommand = (shared: Shared, argument: string) => void | Promise<void>;

/** Facts about the session that do not change while it is open. */
type SessionFacts = Pick<
  ScreenOptions,
  "session" | "logFile" | "cwd" | "label" | "version" | "settingSources"
>;
