/** All panels: component, toggle key, slash command. */

import type { KeyAction } from "../../config/keys.ts";
import { permissionModes } from "../../protocol/permission.ts";
import type { CommandGroup, PanelRow, RunSlashCommand, Shared } from "../shared.ts";
import { themeNames } from "../theme.ts";
import { contextTabs } from "../types.ts";
import { BackgroundPanel } from "./background.tsx";
import { CompactPanel } from "./compact.tsx";
import { ConnectPanel } from "./connect.tsx";
import { CostPanel } from "./context/cost.tsx";
import { InspectorPanel } from "./context/inspector.tsx";
import { LensPanel } from "./context/lens.tsx";
import { MapPanel } from "./context/map.tsx";
import { RulesPanel } from "./context/rules.tsx";
import { HelpPanel } from "./help.tsx";
import { HooksPanel } from "./hooks.tsx";
import { MemoryPanel } from "./memory.tsx";
import { ModePanel, ThemePanel } from "./choices.tsx";
import { ModelPanel } from "./model.tsx";
import { RecallPanel } from "./recall.tsx";
import { RewindPanel } from "./rewind.tsx";
import { ServersPanel } from "./servers.tsx";
import { SessionPanel } from "./sessions.tsx";
import { SettingsPanel } from "./settings.tsx";
import { StatusPanel } from "./status.tsx";
import { TodoPanel } from "./todo.tsx";
import { UndoPanel } from "./undo-list.tsx";

type More = { key?: KeyAction; usage?: string; run?: RunSlashCommand };

/** A panel with a slash command, named after its kind unless `usage` is given. */
const panel = <const Kind extends string>(
  group: CommandGroup,
  kind: Kind,
  Panel: PanelRow<Kind>["Panel"],
  help: string,
  { usage = kind, run, ...more }: More = {},
): PanelRow<Kind> => ({ kind, Panel, command: [usage, help, group, run], ...more });

/** Takes the named choice; opens the panel if no name was given. */
const choose =
  <Name extends string>(
    kind: "mode" | "theme",
    names: readonly Name[],
    take: (actions: Shared["actions"], name: Name) => void,
  ): RunSlashCommand =>
  ({ actions }, argument) => {
    const name = names.find((each) => each === argument);
    if (name !== undefined) take(actions, name);
    else if (argument === "") actions.show({ kind });
    else actions.notify(`There is no ${kind} ${argument}: choose ${names.join(", ")}.`);
  };

const daily = "every day";
const works = "how it works";

export const panels = [
  panel(daily, "model", ModelPanel, "switch the model", {
    usage: "model [name]",
    run: switchModel,
  }),
  panel(daily, "map", MapPanel, "what fills the context: map, items, lens, cost", {
    usage: "context [items, rules, lens, cost]",
    key: "context",
    run: openContext,
  }),
  panel(daily, "compact", CompactPanel, "preview a compaction", {
    usage: "compact [what to keep]",
    key: "compact",
  }),
  panel(daily, "sessions", SessionPanel, "open another session in this folder (also /resume)"),
  panel(daily, "connect", ConnectPanel, "choose a provider or a local server"),
  panel(daily, "settings", SettingsPanel, "every setting, with its meaning"),
  panel(daily, "help", HelpPanel, "keys, commands and the topics of the manual", {
    usage: "help [topic]",
    key: "help",
  }),
  { kind: "items" as const, Panel: InspectorPanel, key: "inspect" as const },
  { kind: "undo" as const, Panel: UndoPanel },
  panel("context", "recall", RecallPanel, "search everything said or shown in this session", {
    usage: "recall [words]",
  }),
  panel(
    "context",
    "rules",
    RulesPanel,
    "what you said to do always or never, and whether it is in view",
  ),
  panel("context", "lens", LensPanel, "what the model saw at any call", { key: "lens" }),
  panel("context", "cost", CostPanel, "what this session cost, call by call, and the last 30 days"),
  panel(
    "session",
    "rewind",
    RewindPanel,
    "go back to before one of your messages, or to a branch, with or without the files",
    {
      usage: "rewind [words]",
    },
  ),
  panel("session", "status", StatusPanel, "folder, branch, model, permissions, session and server"),
  panel(
    "project",
    "memory",
    MemoryPanel,
    "read and edit notes and instructions (a message that starts with # adds a note)",
  ),
  panel("project", "hooks", HooksPanel, "all hooks, with what each did last"),
  panel(
    "project",
    "mcp",
    ServersPanel,
    "MCP servers: their state, their tools, and what they cost",
  ),
  panel(
    "project",
    "background",
    BackgroundPanel,
    "background commands: read their output, stop them",
    {
      usage: "tasks",
      key: "background",
    },
  ),
  panel("project", "todo", TodoPanel, "the todo list", { key: "todo" }),
  panel(works, "mode", ModePanel, "choose the permission mode", {
    usage: `mode [${permissionModes.join(", ")}]`,
    run: choose("mode", permissionModes, ({ send }, mode) => send({ type: "mode", mode })),
  }),
  panel(works, "theme", ThemePanel, "choose the colors", {
    usage: `theme [${themeNames.join(", ")}]`,
    run: choose("theme", themeNames, ({ chooseTheme }, theme) => chooseTheme(theme)),
  }),
];

declare module "../types.ts" {
  interface Panels extends Record<(typeof panels)[number]["kind"], unknown> {}
}

function switchModel({ actions }: Shared, model: string): void {
  if (model === "") actions.show({ kind: "model" });
  else actions.send({ type: "model", model });
}

/** Opens a context tab; further words filter its items. */
function openContext({ actions }: Shared, argument: string): void {
  const [name = "", ...words] = argument.split(" ");
  const kind = name === "" ? "map" : contextTabs.find((tab) => tab === name);
  if (kind !== undefined)
    actions.show(words.length === 0 ? { kind } : { kind, text: words.join(" ") });
  else actions.notify(`There is no view ${name}: choose ${contextTabs.join(", ")}.`);
}
