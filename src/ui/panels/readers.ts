/** Texts to read: keys, commands and the manual, status, the todo list, hooks. */

import { unwrapMarkdown } from "../../base/in-words.ts";
import { actions, keyGroups, showChord } from "../../config/keys.ts";
import { listCommands } from "../commands.ts";
import type { Host } from "./host.ts";
import { fit, inColumns, type Line, pad, span, wrapWords } from "../line.ts";
import { layoutMarkdown, withoutHyperlinks } from "../markdown/layout.ts";
import { loading, type PanelModel, readerPanel } from "./panel.ts";
import { modeMeanings } from "../../protocol/permission.ts";
import { sanitizeLine } from "../sanitize.ts";
import { homePath, shortTokens, showTokens } from "../transcript/format.ts";
import { showGit } from "../folder-facts.ts";
import type { EntryOf, TierName } from "../../protocol/entry.ts";
import type { HookLine } from "../types.ts";

/** A topic of the manual as lines without styles. */
export const layoutTopic = (text: string, columns: number): string[] =>
  layoutMarkdown(unwrapMarkdown(text), columns, {
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
  return readerPanel((columns) => {
    const { text, name } = topic.value ?? { text: topic.message, name: wanted };
    const lines = layoutTopic(text, columns).map((line) =>
      /^#+ /.test(line) ? span("heading", line.replace(/^#+ /, "")) : line,
    );
    return { title: `Help: ${name}`, hint, lines };
  });
}

/** The keys as they are now, the commands and the topics of the manual, or one of these. */
export function helpPanel(host: Host, wanted: string): PanelModel {
  if (wanted !== "") return topicPanel(host, wanted);
  const manual = loading(host, import("../../docs/topics.ts"), "Opening …");
  void host.userCommands.load();
  return readerPanel((columns) => {
    const topics = (manual.value?.topics ?? []).map(({ name, about }): HelpRow => [name, about]);
    const sections: HelpSection[] = [
      ...keySections(host),
      ...commandSections(host),
      { title: "Topics: /help TOPIC", rows: topics },
    ];
    const key = host.keys.describeKey("commands");
    const intro = [
      `/ ${key === "" ? "" : `or ${key} `}finds any command by its name or its words.`,
      "",
    ];
    const lines = inColumns(columns, (width) =>
      sections.map(({ title, rows }) => [span("heading", title), ...table(rows, width)]),
    );
    return { title: "Help", hint, lines: [...intro, ...lines] };
  });
}

type HelpRow = readonly [name: string, help: string];

type HelpSection = { title: string; rows: readonly HelpRow[] };

const keySections = ({ keys }: Host): HelpSection[] =>
  keyGroups.map(([title, names]) => ({
    title: `Keys: ${title}`,
    rows: names.map((name): HelpRow => [
      keys.listChords(name).slice(0, 2).map(showChord).join(", "),
      actions[name].help,
    ]),
  }));

function commandSections(host: Host): HelpSection[] {
  const groups = Object.entries(
    Object.groupBy(listCommands(host.userCommands), ({ group }) => group),
  );
  const sections = groups.map(([group, commands = []]) => ({
    title: `Commands: ${group}`,
    rows: commands.map(({ name, help, usage }): HelpRow => [
      `/${name}`,
      [help, usage].filter(Boolean).join(": "),
    ]),
  }));
  const signs: HelpRow[] = [
    ["!command", "run a shell command and show its output to the model"],
    ["@path", "name a file"],
    ["# words", "add a note on this folder"],
  ];
  return [...sections, { title: "Prefixes in the prompt", rows: signs }];
}

/** If a description would get fewer columns, it goes below its name. */
const minColumns = 20;

const maxName = 22;

/** Names, and beside the widest of them what they do or are. */
function table(rows: readonly HelpRow[], columns: number): Line[] {
  const widest = Math.min(maxName, Math.max(0, ...rows.map(([name]) => Bun.stringWidth(name))));
  const room = columns - widest - 2;
  if (room < minColumns)
    return rows.flatMap(([name, help]) => [
      span("accent", name),
      ...wrapWords(sanitizeLine(help), columns - 2).map((line) => `  ${line}`),
    ]);
  return rows.flatMap(([name, help]) =>
    wrapWords(sanitizeLine(help), room).map((line, index): Line => [
      span("accent", pad(index === 0 ? fit(name, widest) : "", widest + 2)),
      line,
    ]),
  );
}

export function statusPanel(host: Host): PanelModel {
  host.folder.refreshGit();
  return readerPanel((columns) => ({
    title: "Status",
    hint: "↑ ↓ scroll · Esc close",
    lines: table(describeStatus(host), columns),
  }));
}

function describeStatus({ state, session, settings, reading, folder }: Host): HelpRow[] {
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

const signs = { pending: "☐", in_progress: "▸", completed: "☑" } as const;
const roles = { pending: "strong", in_progress: "accent", completed: "dim" } as const;

export function todoPanel(host: Host): PanelModel {
  return readerPanel((columns) => {
    const lines = host.state.todos.flatMap(({ content, status }) =>
      wrapWords(sanitizeLine(content), columns - 2).map((line, at) =>
        span(roles[status], `${at === 0 ? signs[status] : " "} ${line}`),
      ),
    );
    const shown = lines.length === 0 ? ["No todo list yet."] : lines;
    return { title: "Todo", hint: "Esc close", lines: shown };
  });
}

export function hooksPanel(host: Host): PanelModel {
  const found = loading(host, host.services.hooks(), "Reading the settings …");
  return readerPanel(() => {
    const hooks = found.value;
    const lines = hooks?.flatMap((hook, index) => [
      ...(hook.event === hooks[index - 1]?.event ? [] : [span("heading", hook.event)]),
      ...hookLines(hook, host),
    ]) ?? [found.message];
    const shown = lines.length === 0 ? ["No hooks."] : lines;
    return { title: "Hooks", hint: "Esc close", lines: shown };
  });
}

function hookLines({ matcher, name, source, last, tiers }: HookLine, host: Host): Line[] {
  const about = matcher === "" ? "" : `${sanitizeLine(matcher)}: `;
  const first = [`  ${about}${sanitizeLine(name)}  `, span("dim", sanitizeLine(homePath(source)))];
  if (!tiers) return [first, span("dim", `    ${sanitizeLine(last ?? "has not run yet")}`)];
  const cuts = host.state.path.filter((entry) => entry.type === "cut");
  return [first, ...tiers.map((tier) => tierLine(tier, cuts))];
}

function tierLine(tier: TierName, cuts: readonly EntryOf<"cut">[]): Line {
  const cut = cuts.findLast((candidate) => candidate.tier === tier);
  const freed = cut ? cut.price.usedBefore - cut.price.usedAfter : 0;
  const last = cut
    ? `${sanitizeLine(cut.reason)}; freed ${showTokens(freed)} tokens`
    : "has not compacted anything yet";
  return [`    ${tier.padEnd(14)}`, span("dim", last)];
}
