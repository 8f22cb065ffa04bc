import type { Host } from "../host.ts";
import type { Panel, PlainPanel } from "../types.ts";
import { backgroundPanel } from "./background.ts";
import { balancePanel } from "./balance.ts";
import { branchPanel } from "./branches.ts";
import { modelPanel, modePanel, themePanel } from "./choose.ts";
import { contextPanel } from "./context.ts";
import { costPanel } from "./cost.ts";
import { helpPanel } from "./help.ts";
import { hooksPanel } from "./hooks.ts";
import { memoryPanel } from "./memory.ts";
import { lazyPanel } from "./lazy-panel.ts";
import { serverPanel, serversPanel } from "./mcp.ts";
import type { PanelModel } from "./panel.ts";
import { recallPanel } from "./recall.ts";
import { rewindPanel } from "./rewind.ts";
import { sessionPanel } from "./sessions.ts";
import { statusPanel } from "./status.ts";
import { todoPanel } from "./todo.ts";
import { undoPanel } from "./undo-panel.ts";
import { usagePanel } from "./usage.ts";

/** Those with a field come with Ink, which takes a while to load. */
const plain: Record<PlainPanel, (host: Host) => PanelModel> = {
  help: helpPanel,
  status: statusPanel,
  settings: (host) =>
    lazyPanel(host, async () => (await import("./settings.ts")).settingsPanel(host)),
  usage: usagePanel,
  balance: balancePanel,
  cost: costPanel,
  mcp: serversPanel,
  todo: todoPanel,
  hooks: hooksPanel,
  memory: memoryPanel,
  background: backgroundPanel,
  sessions: sessionPanel,
  connect: (host) => lazyPanel(host, async () => (await import("./connect.ts")).connectPanel(host)),
  model: modelPanel,
  mode: modePanel,
  theme: themePanel,
  undo: undoPanel,
  branches: branchPanel,
};

/** Opens a panel by its name. */
export function openPanel(host: Host, panel: Panel): PanelModel {
  switch (panel.kind) {
    case "compact":
      return lazyPanel(host, async () =>
        (await import("./compact.ts")).compactPanel(host, panel.focus),
      );
    case "context":
      return contextPanel(host, panel.tab, panel);
    case "mcp-server":
      return serverPanel(host, panel.server);
    case "recall":
      return recallPanel(host, panel.query);
    case "rewind":
      return rewindPanel(host, panel.query);
    default:
      return plain[panel.kind](host);
  }
}
