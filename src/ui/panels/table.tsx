/** Every panel: its component, the key that opens and closes it, and its command with what it does. */

import { permissionModes } from "../../protocol/permission.ts";
import type { PanelRow, Shared } from "../shared.ts";
import { themeNames } from "../theme.ts";
import { contextTabs } from "../types.ts";
import { BackgroundPanel } from "./background.tsx";
import { BranchPanel } from "./branches.tsx";
import { CompactPanel } from "./compact.tsx";
import { ConnectPanel } from "./connect.tsx";
import { CostPanel } from "./context/cost.tsx";
import { InspectorPanel } from "./context/inspector.tsx";
import { LensPanel } from "./context/lens-panel.tsx";
import { MapPanel } from "./context/map.tsx";
import { RulesPanel } from "./context/rules.tsx";
import { HelpPanel } from "./help.tsx";
import { HooksPanel } from "./hooks.tsx";
import { MemoryPanel } from "./memory.tsx";
import { ModePanel } from "./mode.tsx";
import { ModelPanel } from "./model.tsx";
import { RecallPanel } from "./recall.tsx";
import { RewindPanel } from "./rewind.tsx";
import { ServersPanel } from "./servers.tsx";
import { SessionPanel } from "./sessions.tsx";
import { SettingsPanel } from "./settings.tsx";
import { StatusPanel } from "./status.tsx";
import { ThemePanel } from "./theme.tsx";
import { TodoPanel } from "./todo.tsx";
import { UndoPanel } from "./undo.tsx";

export const panels = [
  {
    kind: "model",
    Panel: ModelPanel,
    command: ["model [name]", "switch the model", "every day", switchModel],
  },
  {
    kind: "map",
    Panel: MapPanel,
    key: "context",
    command: [
      "context [items, rules, lens, cost]",
      "what fills the context: map, items, lens, cost",
      "every day",
      openContext,
    ],
  },
  {
    kind: "compact",
    Panel: CompactPanel,
    key: "compact",
    command: ["compact [what to keep]", "preview a compaction", "every day"],
  },
  {
    kind: "sessions",
    Panel: SessionPanel,
    command: ["sessions", "open another session in this folder (also /resume)", "every day"],
  },
  {
    kind: "connect",
    Panel: ConnectPanel,
    command: ["connect", "choose a provider or a local server", "every day"],
  },
  {
    kind: "settings",
    Panel: SettingsPanel,
    command: ["settings", "every setting, with its meaning", "every day"],
  },
  {
    kind: "help",
    Panel: HelpPanel,
    key: "help",
    command: ["help [topic]", "keys, commands and the topics of the manual", "every day"],
  },
  { kind: "items", Panel: InspectorPanel, key: "inspect" },
  { kind: "undo", Panel: UndoPanel },
  {
    kind: "recall",
    Panel: RecallPanel,
    command: ["recall [words]", "search everything said or shown in this session", "context"],
  },
  {
    kind: "rules",
    Panel: RulesPanel,
    command: ["rules", "what you said to do always or never, and whether it is in view", "context"],
  },
  {
    kind: "lens",
    Panel: LensPanel,
    key: "lens",
    command: ["lens", "what the model saw at any call", "context"],
  },
  {
    kind: "cost",
    Panel: CostPanel,
    command: ["cost", "what this session cost, call by call, and the last 30 days", "context"],
  },
  {
    kind: "rewind",
    Panel: RewindPanel,
    command: [
      "rewind [words]",
      "go back to before one of your messages, with or without the files",
      "session",
    ],
  },
  {
    kind: "branches",
    Panel: BranchPanel,
    command: ["branches", "list the branches left by rewinds", "session"],
  },
  {
    kind: "status",
    Panel: StatusPanel,
    command: ["status", "folder, branch, model, permissions, session and server", "session"],
  },
  {
    kind: "memory",
    Panel: MemoryPanel,
    command: [
      "memory",
      "notes and instructions, to read and edit (a message that starts with # adds a note)",
      "project",
    ],
  },
  {
    kind: "hooks",
    Panel: HooksPanel,
    command: ["hooks", "all hooks, with what each did last", "project"],
  },
  {
    kind: "mcp",
    Panel: ServersPanel,
    command: ["mcp", "MCP servers: their state, their tools, and what they cost", "project"],
  },
  {
    kind: "background",
    Panel: BackgroundPanel,
    key: "background",
    command: ["tasks", "background commands: read their output, stop them", "project"],
  },
  {
    kind: "todo",
    Panel: TodoPanel,
    key: "todo",
    command: ["todo", "the todo list", "project"],
  },
  {
    kind: "mode",
    Panel: ModePanel,
    command: [
      `mode [${permissionModes.join(", ")}]`,
      "choose the permission mode",
      "how it works",
      switchMode,
    ],
  },
  {
    kind: "theme",
    Panel: ThemePanel,
    command: [`theme [${themeNames.join(", ")}]`, "choose the colors", "how it works", switchTheme],
  },
] as const satisfies readonly PanelRow<string>[];

declare module "../types.ts" {
  interface Panels extends Record<(typeof panels)[number]["kind"], unknown> {}
}

function switchModel({ actions }: Shared, model: string): void {
  if (model === "") actions.show({ kind: "model" });
  else actions.send({ type: "model", model });
}

/** A view of the context; words after it filter its items. */
function openContext({ actions }: Shared, argument: string): void {
  const [name = "", ...words] = argument.split(" ");
  const kind = name === "" ? "map" : contextTabs.find((tab) => tab === name);
  if (kind === undefined)
    actions.notify(`There is no view ${name}: choose ${contextTabs.join(", ")}.`);
  else actions.show(words.length === 0 ? { kind } : { kind, text: words.join(" ") });
}

function switchMode({ actions }: Shared, argument: string): void {
  const mode = permissionModes.find((name) => name === argument);
  if (argument === "") actions.show({ kind: "mode" });
  else if (mode) actions.send({ type: "mode", mode });
  else actions.notify(`There is no mode ${argument}: choose ${permissionModes.join(", ")}.`);
}

function switchTheme({ actions }: Shared, argument: string): void {
  const theme = themeNames.find((name) => name === argument);
  if (argument === "") actions.show({ kind: "theme" });
  else if (theme) actions.chooseTheme(theme);
  else actions.notify(`There is no theme ${argument}: choose ${themeNames.join(", ")}.`);
}
