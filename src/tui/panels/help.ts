import { actions, keyActions, showChord } from "../../config/keys.ts";
import type { Host } from "../host.ts";
import type { PanelModel } from "./panel.ts";
import { ReaderPanel, textContent } from "./reader-panel.ts";

/** Columns of a key or a command. */
const nameColumns = 26;

/** The keys as they are now, and the commands. */
export function helpPanel(host: Host): PanelModel {
  const { keys, theme } = host;
  const entry = (name: string, help: string): string => `${name.padEnd(nameColumns)} ${help}`;
  const lines = [
    theme.paint("heading", "Keys"),
    ...keyActions.map((name) =>
      entry(keys.chordsOf(name).map(showChord).join(", "), actions[name].help),
    ),
    "",
    theme.paint("heading", "Commands"),
    ...[...host.userCommands.help].map(([name, help]) => entry(`/${name}`, help)),
    entry("!command", "run a shell command and show its output to the model"),
    entry("@path", "name a file"),
  ];
  return new ReaderPanel(host, {
    content: () => textContent("Help", "↑ ↓ PgUp PgDn scroll · Esc close", lines),
  });
}
