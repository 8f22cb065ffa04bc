import { actions, keyActions, showChord, type KeyMap } from "../../config/keys.ts";
import { commands } from "../commands.ts";
import type { PanelProps } from "../types.ts";
import { Frame } from "./frame.tsx";
import { useScrolling } from "./scrolling.ts";

/** The keys as they are now, and the commands. */
export function HelpPanel({ theme, columns, rows, keys }: PanelProps & { keys: KeyMap }) {
  const lines = [
    theme.paint("heading", "Keys"),
    ...keyActions.map(
      (name) => `${keys.chordsOf(name).map(showChord).join(", ").padEnd(26)} ${actions[name].help}`,
    ),
    "",
    theme.paint("heading", "Commands"),
    ...commands.map(({ name, help }) => `${`/${name}`.padEnd(26)} ${help}`),
    `${"!command".padEnd(26)} run it in the shell, and show the model what it printed`,
    `${"@path".padEnd(26)} name a file`,
  ];
  const from = useScrolling(lines.length, rows);
  return (
    <Frame
      title="Help"
      hint="Esc closes"
      lines={lines}
      from={from}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}
