import { type ReactNode, useLayoutEffect } from "react";
import { actions, keyGroups, type KeyMap, showChord } from "../../config/keys.ts";
import { type CommandHelp, listCommands } from "../commands.ts";
import { layoutTopic } from "../markdown/topic.ts";
import { useScreen, useSource } from "../screen-context.ts";
import { inColumns, span } from "../spans.ts";
import { type NameRow, nameTable } from "./name-table.ts";
import { usePanelSize } from "./panel-box.tsx";
import { TextPanel } from "./text-panel.tsx";
import { useLoading } from "./use-loading.ts";

const hint = "↑ ↓ PgUp PgDn scroll · Esc close";

/** Overview of keys, commands and topics; or a single topic. */
export const HelpPanel = ({ argument }: { argument: string }): ReactNode =>
  argument === "" ? <Overview /> : <Topic wanted={argument} />;

/** A topic of the manual; an unknown name shows the list of topics. */
function Topic({ wanted }: { wanted: string }): ReactNode {
  const { columns } = usePanelSize();
  const topic = useLoading(async () => {
    const { findTopic } = await import("../../docs/topics.ts");
    return findTopic(wanted);
  }, "Opening …");
  const { text, name } = topic.value ?? { text: topic.message, name: wanted };
  const lines = layoutTopic(text, columns).map((line) =>
    /^#+ /.test(line) ? span("heading", line.replace(/^#+ /, "")) : line,
  );
  return <TextPanel title={`Help: ${name}`} hint={hint} lines={lines} />;
}

function Overview(): ReactNode {
  const { keys, folder } = useSource().screen;
  const { columns } = usePanelSize();
  const commands = useScreen(listCommands);
  const manual = useLoading(() => import("../../docs/topics.ts"), "");
  useLayoutEffect(() => void folder.readCommands(), [folder]);
  const topics = manual.value?.topics ?? [];
  const sections: Section[] = [
    ...keySections(keys),
    ...commandSections(commands),
    { title: "Prefixes in the prompt", rows: prefixes },
    { title: "Topics: /help TOPIC", rows: topics.map(({ name, about }): NameRow => [name, about]) },
  ];
  const key = keys.describeKey("commands");
  const intro = `/ ${key === "" ? "" : `or ${key} `}finds any command by name or description.`;
  const lines = inColumns(columns, (width) =>
    sections.map(({ title, rows }) => [span("heading", title), ...nameTable(rows, width)]),
  );
  return <TextPanel title="Help" hint={hint} lines={[intro, "", ...lines]} />;
}

type Section = { title: string; rows: readonly NameRow[] };

const prefixes: readonly NameRow[] = [
  ["!command", "run a shell command and show its output to the model"],
  ["@path", "attach a file"],
  ["# words", "add a note for this folder"],
];

const keySections = (keys: KeyMap): Section[] =>
  keyGroups.map(([title, names]) => ({
    title: `Keys: ${title}`,
    rows: names.map((name): NameRow => [
      keys.listChords(name).slice(0, 2).map(showChord).join(", "),
      actions[name].help,
    ]),
  }));

const commandSections = (all: readonly CommandHelp[]): Section[] =>
  Object.entries(Object.groupBy(all, ({ group }) => group)).map(([group, commands = []]) => ({
    title: `Commands: ${group}`,
    rows: commands.map(({ name, help, usage }): NameRow => [
      `/${name}`,
      [help, usage].filter(Boolean).join(": "),
    ]),
  }));
