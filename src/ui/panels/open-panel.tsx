import { backgroundPanel, serversPanel } from "./running.ts";
import { settingsPanel } from "./choosers.ts";
import { compactPanel } from "./compact.ts";
import { connectPanel } from "./connect.ts";
import { contextPanels } from "./context/context.ts";
import { helpPanel, hooksPanel, statusPanel, todoPanel } from "./readers.ts";
import { old } from "./old-panel.tsx";
import { branchPanel, recallPanel, rewindPanel } from "./past.ts";

import { ModePanel } from "./mode.tsx";
import { ModelPanel } from "./model.tsx";
import { MemoryPanel } from "./memory.tsx";
import { SessionPanel } from "./sessions.tsx";
import { ThemePanel } from "./theme.tsx";
import { UndoPanel } from "./undo.tsx";
import { RulesPanel } from "./context/rules.tsx";

/** Every panel by its name. */
export const panels = {
  map: old(contextPanels.map),
  items: old(contextPanels.items),
  rules: RulesPanel,
  lens: old(contextPanels.lens),
  cost: old(contextPanels.cost),
  background: old(backgroundPanel),
  branches: old(branchPanel),
  compact: old(compactPanel),
  connect: old(connectPanel),
  help: old(helpPanel),
  hooks: old(hooksPanel),
  mcp: old(serversPanel),
  memory: MemoryPanel,
  mode: ModePanel,
  model: ModelPanel,
  recall: old(recallPanel),
  rewind: old(rewindPanel),
  sessions: SessionPanel,
  settings: old(settingsPanel),
  status: old(statusPanel),
  theme: ThemePanel,
  todo: old(todoPanel),
  undo: UndoPanel,
};

declare module "../types.ts" {
  interface Panels extends Record<keyof typeof panels, unknown> {}
}
