import type { Host } from "../host.ts";
import type { Panel } from "../types.ts";
import { branchPanel } from "./branches.ts";
import { modelPanel, modePanel, themePanel } from "./choose.ts";
import { contextPanel } from "./context.ts";
import { costPanel } from "./cost.ts";
import { helpPanel } from "./help.ts";
import { hooksPanel } from "./hooks.ts";
import { memoryPanel } from "./memory.ts";
import { lazyPanel } from "./lazy-panel.ts";
import { mcpPanel } from "./mcp.ts";
import type { PanelModel } from "./panel.ts";
import { recallPanel } from "./recall.ts";
import { rewindPanel } from "./rewind.ts";
import { sessionPanel } from "./sessions.ts";
import { statusPanel } from "./status.ts";
import { todoPanel } from "./todo.ts";
import { undoPanel } from "./undo-panel.ts";

/** Opens a panel by its name. */
export function openPanel(host: Host, panel: Panel): PanelModel {
  switch (panel.kind) {
    case "help":
      return helpPanel(host);
    case "memory":
      return memoryPanel(host);
    case "hooks":
      return hooksPanel(host);
    case "compact":
      return lazyPanel(host, async () =>
        (await import("./compact.ts")).compactPanel(host, panel.focus),
      );
    case "context":
      return contextPanel(host, panel.tab, panel);
    case "status":
      return statusPanel(host);
    case "settings":
      return lazyPanel(host, async () => (await import("./settings.ts")).settingsPanel(host));
    case "balance":
      return lazyPanel(host, async () => (await import("./balance.ts")).balancePanel(host));
    case "usage":
      return lazyPanel(host, async () => (await import("./usage.ts")).usagePanel(host));
    case "cost":
      return costPanel(host);
    case "mcp":
      return mcpPanel(host, panel.server);
    case "todo":
      return todoPanel(host);
    case "background":
      return lazyPanel(host, async () => (await import("./background.ts")).backgroundPanel(host));
    case "sessions":
      return sessionPanel(host);
    case "connect":
      return lazyPanel(host, async () => (await import("./connect.ts")).connectPanel(host));
    case "recall":
      return recallPanel(host, panel.query);
    case "model":
      return modelPanel(host);
    case "mode":
      return modePanel(host);
    case "theme":
      return themePanel(host);
    case "undo":
      return undoPanel(host);
    case "rewind":
      return rewindPanel(host, panel.query);
    case "branches":
      return branchPanel(host);
    default:
      return panel satisfies never;
  }
}
