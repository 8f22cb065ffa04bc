/** Background commands: read their output, stop them. */

import type { Host } from "../host.ts";
import { fit, type Line, span, spreadLine } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import { showBytes } from "../transcript/format.ts";
import type { BackgroundCommand } from "../../protocol/background-command.ts";
import { listPanel, type ListPanel } from "./list-panel.ts";
import { pagedPanel, type PanelModel } from "./panel.ts";

const reloadMs = 1_000;

export function backgroundPanel(host: Host): PanelModel {
  const service = host.options.services.background;
  let commands: readonly BackgroundCommand[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const load = async (): Promise<void> => {
    commands = await service.list().catch(() => []);
    host.redraw();
  };
  const read = (command: BackgroundCommand): void => {
    list.opened = pagedPanel(host, service.open(command), {
      title: sanitizeLine(command.command),
      hint: "↑ ↓ PgUp PgDn scroll · r reload · Esc back to the list",
      keys: { r: () => read(command), escape: () => (list.opened = null) },
      fromEnd: true,
    });
  };
  const stop = (command: BackgroundCommand | undefined): void => {
    if (!command) return;
    if (!command.isRunning) return host.flash("The command has already ended.");
    service.stop(command.id).then(() => {
      host.flash(`Stopped: ${command.command}`);
      void load();
    }, host.report);
  };
  const ask = (command: BackgroundCommand | undefined): void => {
    if (!command) return;
    host.dispatch({ type: "panel", panel: null });
    host.setPrompt(`Read the output of ${command.id} (${command.command}): `);
  };

  const list: ListPanel = listPanel<BackgroundCommand>(host, {
    filter: "slash",
    keys: { x: stop, tab: ask },
    content() {
      clearTimeout(timer);
      if (commands.some(({ isRunning }) => isRunning))
        timer = setTimeout(() => void load(), reloadMs);
      return {
        title: "Commands in the background",
        hint: `${commands.length > 0 ? "Enter read · x stop · Tab ask about it · / search · " : ""}Esc close`,
        empty: `None. ${host.keys.nameOf("background")} sends the running command here.`,
        items: commands,
      };
    },
    lines: linesOf,
    onChoose: read,
  });
  void load();
  return list;
}

function linesOf(
  { command, state, isRunning, lastLine, bytes }: BackgroundCommand,
  columns: number,
): Line[] {
  const sign = isRunning ? span("accent", "○") : "●";
  const right = `${state}, ${showBytes(bytes)}`;
  return [
    spreadLine([sign, ` ${sanitizeLine(command)}`], right, columns),
    span("dim", fit(`  │ ${sanitizeLine(lastLine) || "(no output yet)"}`, columns)),
  ];
}
