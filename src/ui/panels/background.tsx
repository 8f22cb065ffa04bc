import { type ReactNode, useEffect, useState } from "react";
import type { BackgroundCommand } from "../../protocol/background-command.ts";
import { fit, rowColumns, spread } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useServices, useSource } from "../screen-context.ts";
import { type Line, span } from "../spans.ts";
import { showBytes } from "../transcript/format.ts";
import { ListPanel } from "./list-panel.tsx";
import { PagedPanel } from "./text-panel.tsx";
import { useLoading } from "./use-loading.ts";

/** Background commands with live output; keys to stop one or ask about it. */
export function BackgroundPanel(): ReactNode {
  const { background } = useServices();
  const { notify, report } = useActions();
  const { keys } = useSource().screen;
  const { commands, reads, reload } = useCommands();
  const [opened, open] = useState<BackgroundCommand | null>(null);
  const stop = (command: BackgroundCommand): void => {
    if (!command.isRunning) return notify("The command has already ended.");
    background.stop(command.id).then(() => {
      notify(`Stopped: ${command.command}`);
      reload();
    }, report);
  };
  const some = commands.length > 0 ? "Enter read · x stop · / search · " : "";
  return (
    <ListPanel
      title="Commands in the background"
      hint={`${some}Esc close`}
      empty={`None. ${keys.describeKey("background")} sends the running command here.`}
      items={commands}
      lines={commandLines}
      filter="slash"
      keys={{ x: (command) => command && stop(command) }}
      onChoose={(command) => open(command)}
      onBack={() => open(null)}
      opened={
        opened && (
          <PagedPanel
            open={() => background.open(opened)}
            version={reads}
            title={sanitizeLine(opened.command)}
            hint="↑ ↓ PgUp PgDn scroll · Esc back to the list"
            fromEnd
          />
        )
      }
    />
  );
}

const reloadMs = 1_000;

/** Lists the commands again once a second while any is running; `reads` counts that. */
function useCommands() {
  const { background } = useServices();
  const [reads, setReads] = useState(0);
  const reload = (): void => setReads((count) => count + 1);
  const commands = useLoading(() => background.list(), "", [reads]).value ?? [];
  const isRunning = commands.some((command) => command.isRunning);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(reload, reloadMs);
    return () => clearTimeout(timer);
  }, [commands]);
  return { commands, reads, reload };
}

function commandLines(
  { command, state, isRunning, lastLine, bytes }: BackgroundCommand,
  columns: number,
): Line[] {
  const none = isRunning ? "(no output yet)" : "(no output)";
  const left = `${isRunning ? "○" : "●"} ${sanitizeLine(command)}`;
  return [
    spread(left, `${state}, ${showBytes(bytes)}`, Math.min(columns, rowColumns)),
    span("dim", fit(`  │ ${sanitizeLine(lastLine) || none}`, columns)),
  ];
}
