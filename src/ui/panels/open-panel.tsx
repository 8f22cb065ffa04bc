import { backgroundPanel, serversPanel } from "./running.ts";
import {
  memoryPanel,
  modelPanel,
  modePanel,
  sessionPanel,
  settingsPanel,
  themePanel,
  undoPanel,
} from "./choosers.ts";
import { compactPanel } from "./compact.ts";
import { connectPanel } from "./connect.ts";
import { contextPanels } from "./context/context.ts";
import { helpPanel, hooksPanel, statusPanel, todoPanel } from "./readers.ts";
import { old } from "./old-panel.tsx";
import { branchPanel, recallPanel, rewindPanel } from "./past.ts";

/** Every panel by its name. */
export const panels = {
  map: old(contextPanels.map),
  items: old(contextPanels.items),
  rules: old(contextPanels.rules),
  lens: old(contextPanels.lens),
  cost: old(contextPanels.cost),
  background: old(backgroundPanel),
  branches: old(branchPanel),
  compact: old(compactPanel),
  connect: old(connectPanel),
  help: old(helpPanel),
  hooks: old(hooksPanel),
  mcp: old(serversPanel),
  memory: old(memoryPanel),
  mode: old(modePanel),
  model: old(modelPanel),
  recall: old(recallPanel),
  rewind: old(rewindPanel),
  sessions: old(sessionPanel),
  settings: old(settingsPanel),
  status: old(statusPanel),
  theme: old(themePanel),
  todo: old(todoPanel),
  undo: old(undoPanel),
};

declare module "../types.ts" {
  interface Panels extends Record<keyof typeof panels, unknown> {}
}
