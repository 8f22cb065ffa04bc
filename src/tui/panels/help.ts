import { actions, keyActions, showChord } from "../../config/keys.ts";
import type { Host } from "../host.ts";
import type { PanelModel } from "./panel.ts";
import { ReaderPanel, textContent } from "./reader-panel.ts";

/** The keys as they are now, and the commands. */
export function helpPanel(host: Host): PanelModel {
  const { keys, theme } = host;
  const lines = [
    theme.paint("heading", "Keys"),
    ...table(
      keyActions.map((name) => [keys.chordsOf(name).map(showChord).join(", "), actions[name].help]),
    ),
    "",
    theme.paint("heading", "Commands"),
    ...table([
      ...[...host.userCommands.help].map(([name, help]) => [`/${name}`, help] as const),
      ["!command", "run a shell command and show its output to the model"],
      ["@path", "name a file"],
    ]),
  ];
  return new ReaderPanel(host, {
    content: () => textContent("Help", "↑ ↓ PgUp PgDn scroll · Esc close", lines),
  });
}

/** Names, and beside the widest of them what they do. */
function table(rows: readonly (readonly [name: string, help: string])[]): string[] {
  const widest = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, help]) => `${name.padEnd(widest)}  ${help}`);
}
