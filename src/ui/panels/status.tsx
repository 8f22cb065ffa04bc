import { type ReactNode, useLayoutEffect } from "react";
import { modeMeanings } from "../../protocol/permission.ts";
import { showGit } from "../folder-facts.ts";
import { useSource, useStore } from "../screen-context.ts";
import type { Shared } from "../shared.ts";
import { homePath, shortTokens } from "../transcript/format.ts";
import { type NameRow, nameTable } from "./name-table.ts";
import { usePanelSize } from "./panel-box.tsx";
import { TextPanel } from "./text-panel.tsx";

export function StatusPanel(): ReactNode {
  const { screen } = useSource();
  const { columns } = usePanelSize();
  useStore();
  useLayoutEffect(() => screen.folder.refreshGit(), [screen]);
  const lines = nameTable(describeStatus(screen), columns);
  return <TextPanel title="Status" hint="↑ ↓ scroll · Esc close" lines={lines} />;
}

function describeStatus({ store, session, settings, folder }: Shared): NameRow[] {
  const { state, reading } = store;
  const { git, instructions } = folder;
  const sandbox = state.hasSandbox ? "" : "; commands run without a sandbox";
  return [
    ["Version", `mini-claude ${session.version}, Bun ${Bun.version}`],
    ["Folder", homePath(session.cwd)],
    ["Git", git ? showGit(git) : "not a repository, or not trusted"],
    ["Instructions", instructions.length === 0 ? "none" : instructions.join(", ")],
    ["Model", `${state.model}, ${shortTokens(reading.effectiveTokens)} tokens`],
    ["Server", settings.current.baseUrl ?? session.label],
    ["Permissions", `${state.mode}: ${modeMeanings[state.mode]}${sandbox}`],
    ["Session", [state.title, session.session].filter(Boolean).join(", ")],
    ["Log", homePath(session.logFile)],
  ];
}
