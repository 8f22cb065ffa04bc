/** What the parts of the screen share. A part takes the members that it needs. */

import type { ReactNode } from "react";
import type { KeyAction, KeyMap } from "../config/keys.ts";
import type { Actions } from "./actions.ts";
import type { FolderFacts } from "./folder-facts.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { Store } from "./store.ts";
import type { PanelName, ScreenOptions, Services } from "./types.ts";

export type Shared = {
  /** The state, the view, the meter reading: read them each time. */
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
  /** `argument`: what is typed after its command. */
  Panel(props: { argument: string }): ReactNode;
  readonly key?: KeyAction;
  /** How it is typed, what it does, the group in which it is listed, and what it does with an argument. */
  readonly command?: readonly [
    usage: string,
    help: string,
    group: CommandGroup,
    run: RunSlashCommand | undefined,
  ];
};

/** What commands are about, in the order in which they are offered: the daily ones first. */
export const commandGroups = [
  "every day",
  "context",
  "session",
  "project",
  "how it works",
] as const;

export type CommandGroup = (typeof commandGroups)[number];

/** Returns a promise if what is typed later must wait. */
export type RunSlashCommand = (shared: Shared, argument: string) => void | Promise<void>;

/** Facts about the session that do not change while it is open. */
type SessionFacts = Pick<
  ScreenOptions,
  "session" | "logFile" | "cwd" | "label" | "version" | "settingSources"
>;
