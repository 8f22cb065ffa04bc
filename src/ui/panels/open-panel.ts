import type { Host } from "./host.ts";
import type { Panels } from "../types.ts";
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
import type { PanelModel } from "./panel.ts";
import { branchPanel, recallPanel, rewindPanel } from "./past.ts";

/** Every panel by its name. */
const panels = {
  ...contextPanels,
  background: backgroundPanel,
  branches: branchPanel,
  compact: compactPanel,
  connect: connectPanel,
  help: helpPanel,
  hooks: hooksPanel,
  mcp: serversPanel,
  memory: memoryPanel,
  mode: modePanel,
  model: modelPanel,
  recall: recallPanel,
  rewind: rewindPanel,
  sessions: sessionPanel,
  settings: settingsPanel,
  status: statusPanel,
  theme: themePanel,
  todo: todoPanel,
  undo: undoPanel,
};

type OpenPanel = (host: Host, text: string) => PanelModel;

declare module "../types.ts" {
  interface Panels extends Record<keyof typeof panels, OpenPanel> {}
}

type Opened = { kind: keyof Panels; text?: string };

export const openPanel = (host: Host, { kind, text = "" }: Opened): PanelModel =>
  panels[kind](host, text);
