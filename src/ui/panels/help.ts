import { actions, keyActions, showChord } from "../../config/keys.ts";
import type { Host } from "../host.ts";
import { span } from "../line.ts";
import { pad, wrapWords } from "../wrap.ts";
import type { PanelModel } from "./panel.ts";
import { readerPanel, textContent } from "./reader-panel.ts";

/** The keys as they are now, and the commands. */
export function helpPanel(host: Host): PanelModel {
  const { keys } = host;
  const shownKeys = keyActions.map((name): Row => [
    keys.chordsOf(name).map(showChord).join(", "),
    actions[name].help,
  ]);
  const commands: Row[] = [
    ...[...host.userCommands.help].map(([name, help]): Row => [`/${name}`, help]),
    ["!command", "run a shell command and show its output to the model"],
    ["@path", "name a file"],
  ];
  return readerPanel({
    content: (columns) =>
      textContent("Help", "↑ ↓ PgUp PgDn scroll · Esc close", [
        span("heading", "Keys"),
        ...table(shownKeys, columns),
        "",
        span("heading", "Commands"),
        ...table(commands, columns),
      ]),
  });
}

type Row = readonly [name: string, help: string];

/** If a description would get fewer columns, it goes below its name. */
const minColumns = 20;

/** Names, and beside the widest of them what they do. */
function table(rows: readonly Row[], columns: number): string[] {
  const widest = Math.max(...rows.map(([name]) => Bun.stringWidth(name)));
  const room = columns - widest - 2;
  if (room < minColumns)
    return rows.flatMap(([name, help]) => [
      name,
      ...wrapWords(help, columns - 2).map((line) => `  ${line}`),
    ]);
  return rows.flatMap(([name, help]) =>
    wrapWords(help, room).map((line, index) => `${pad(index === 0 ? name : "", widest)}  ${line}`),
  );
}
