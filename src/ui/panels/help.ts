import { actions, keyActions, showChord } from "../../config/keys.ts";
import type { Host } from "../host.ts";
import { pad, span, wrapWords } from "../line.ts";
import { layoutMarkdown, withoutHyperlinks } from "../markdown/layout.ts";
import { loading, type PanelModel, readerPanel, textContent } from "./panel.ts";

/** Line breaks within a paragraph or an item; answers keep theirs, the manual is wrapped again. */
const softBreak = /(?<![|\n])\n(?: {2})?(?=[^\s|#-])/g;

const unwrapped = (text: string): string =>
  text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part, at) => (at % 2 === 0 ? part.replaceAll(softBreak, " ") : part))
    .join("");

/** A topic of the manual as lines without styles. */
export const layoutTopic = (text: string, columns: number): string[] =>
  layoutMarkdown(unwrapped(text), columns, {
    name: "none",
    colors: 16,
    paint: (_role, plain) => plain,
    props: () => ({}),
  }).map(withoutHyperlinks);

const hint = "↑ ↓ PgUp PgDn scroll · Esc close";

/** A topic of the manual; an unknown one is answered with a sentence that lists them. */
function topicPanel(host: Host, wanted: string): PanelModel {
  const topic = loading(
    host,
    import("../../docs/topics.ts").then(({ findTopic }) => findTopic(wanted)),
    "Opening …",
  );
  return readerPanel({
    content(columns) {
      const { text, name } = topic.value ?? { text: topic.message, name: wanted };
      const lines = layoutTopic(text, columns).map((line) =>
        /^#+ /.test(line) ? span("heading", line.replace(/^#+ /, "")) : line,
      );
      return textContent(`Help: ${name}`, hint, lines);
    },
  });
}

/** The keys as they are now, the commands and the topics of the manual, or one of these. */
export function helpPanel(host: Host, wanted: string): PanelModel {
  if (wanted !== "") return topicPanel(host, wanted);
  const { keys } = host;
  const manual = loading(host, import("../../docs/topics.ts"), "Opening …");
  const shownKeys = keyActions.map((name): HelpRow => [
    keys.chordsOf(name).map(showChord).join(", "),
    actions[name].help,
  ]);
  const commands: HelpRow[] = [
    ...[...host.userCommands.help].map(([name, help]): HelpRow => [`/${name}`, help]),
    ["!command", "run a shell command and show its output to the model"],
    ["@path", "name a file"],
  ];
  return readerPanel({
    content: (columns) =>
      textContent("Help", hint, [
        span("heading", "Keys"),
        ...table(shownKeys, columns),
        "",
        span("heading", "Commands"),
        ...table(commands, columns),
        "",
        span("heading", "Topics: /help TOPIC"),
        ...table(
          (manual.value?.topics ?? []).map(({ name, about }): HelpRow => [name, about]),
          columns,
        ),
      ]),
  });
}

type HelpRow = readonly [name: string, help: string];

/** If a description would get fewer columns, it goes below its name. */
const minColumns = 20;

/** Names, and beside the widest of them what they do. */
function table(rows: readonly HelpRow[], columns: number): string[] {
  const widest = Math.max(0, ...rows.map(([name]) => Bun.stringWidth(name)));
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
