import type { Host } from "../host.ts";
import type { Panel, PlainPanel } from "../types.ts";
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
import { contextPanel } from "./context/context.ts";
import { helpPanel, hooksPanel, statusPanel, todoPanel } from "./readers.ts";
import { palettePanel } from "./palette.ts";
import type { PanelModel } from "./panel.ts";
import { branchPanel, recallPanel, rewindPanel } from "./past.ts";

const plain: Record<PlainPanel, (host: Host) => PanelModel> = {
  status: statusPanel,
  settings: settingsPanel,
  mcp: serversPanel,
  todo: todoPanel,
  hooks: hooksPanel,
  memory: memoryPanel,
  background: backgroundPanel,
  sessions: sessionPanel,
  connect: connectPanel,
  model: modelPanel,
  mode: modePanel,
  theme: themePanel,
  undo: undoPanel,
  branches: branchPanel,
  palette: palettePanel,
};

export function openPanel(host: Host, panel: Exclude<Panel, { kind: "answer" }>): PanelModel {
  switch (panel.kind) {
    case "compact":
      return compactPanel(host, panel.focus);
    case "context":
      return contextPanel(host, panel.tab, panel);
    case "help":
      return helpPanel(host, panel.topic);
    case "recall":
      return recallPanel(host, panel.query);
    case "rewind":
      return rewindPanel(host, panel.query);
    default:
      return plain[panel.kind](host);
  }
}
