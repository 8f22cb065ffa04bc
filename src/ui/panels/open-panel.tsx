import { LensPanel } from "./context/lens-panel.tsx";
import { MapPanel } from "./context/map.tsx";
import { InspectorPanel } from "./context/inspector.tsx";
import { SettingsPanel } from "./settings.tsx";
import { HelpPanel } from "./help.tsx";
import { HooksPanel } from "./hooks.tsx";
import { StatusPanel } from "./status.tsx";
import { TodoPanel } from "./todo.tsx";
import { RecallPanel } from "./recall.tsx";
import { RewindPanel } from "./rewind.tsx";
import { BranchPanel } from "./branches.tsx";
import { CompactPanel } from "./compact.tsx";
import { ConnectPanel } from "./connect.tsx";
import { CostPanel } from "./context/cost.tsx";

import { BackgroundPanel } from "./background.tsx";
import { ModePanel } from "./mode.tsx";
import { ModelPanel } from "./model.tsx";
import { MemoryPanel } from "./memory.tsx";
import { ServersPanel } from "./servers.tsx";
import { SessionPanel } from "./sessions.tsx";
import { ThemePanel } from "./theme.tsx";
import { UndoPanel } from "./undo.tsx";
import { RulesPanel } from "./context/rules.tsx";

/** Every panel by its name. */
export const panels = {
  map: MapPanel,
  items: InspectorPanel,
  rules: RulesPanel,
  lens: LensPanel,
  cost: CostPanel,
  background: BackgroundPanel,
  branches: BranchPanel,
  compact: CompactPanel,
  connect: ConnectPanel,
  help: HelpPanel,
  hooks: HooksPanel,
  mcp: ServersPanel,
  memory: MemoryPanel,
  mode: ModePanel,
  model: ModelPanel,
  recall: RecallPanel,
  rewind: RewindPanel,
  sessions: SessionPanel,
  settings: SettingsPanel,
  status: StatusPanel,
  theme: ThemePanel,
  todo: TodoPanel,
  undo: UndoPanel,
};

declare module "../types.ts" {
  interface Panels extends Record<keyof typeof panels, unknown> {}
}
