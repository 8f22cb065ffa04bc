/** Text entered in the prompt: slash commands, shell commands, notes, messages. */

import type { KeyAction } from "../config/keys.ts";
import type { ImageBlock } from "../protocol/block.ts";
import { efforts } from "../protocol/model.ts";
import { permissionModes } from "../protocol/permission.ts";
import type { Host } from "./host.ts";
import { longWork, Memo } from "./memo.ts";
import { budgetName, budgetScopes, isBudgetScope } from "../protocol/budget.ts";
import { homePath, showUsd } from "./transcript/format.ts";
import { themeNames } from "./theme.ts";
import { transcriptText } from "./items.ts";
import { redoCut, undoCut, wasUndone } from "./undo.ts";
import { contextTabs, type PanelName } from "./types.ts";
import { press } from "./keys.ts";
import { sanitizeLine } from "./sanitize.ts";

/** Returns a promise if what is typed later must wait. */
type RunSlashCommand = (host: Host, argument: string) => void | Promise<void>;

const opens =
  (kind: PanelName): RunSlashCommand =>
  ({ show }, text) =>
    show(text === "" ? { kind } : { kind, text });

const chooses =
  <T extends string>(
    kind: "mode" | "theme",
    names: readonly T[],
    take: (host: Host, name: T) => void,
  ): RunSlashCommand =>
  (host, argument) => {
    if (argument === "") return opens(kind)(host, "");
    const chosen = names.find((name) => name === argument);
    if (chosen) take(host, chosen);
    else host.flash(`There is no ${kind} ${argument}: choose ${names.join(", ")}.`);
  };

/** How it is typed, what it does, and how; the key that does the same. */
type CommandRow = readonly [usage: string, help: string, run: RunSlashCommand, key?: KeyAction];

/** By what they are about, in the order in which they are offered: the daily ones first. */
const groups: Readonly<Record<string, readonly CommandRow[]>> = {
  "every day": [
    ["model [name]", "switch the model", switchModel],
    [
      "context [items, rules, lens, cost]",
      "what fills the context: map, items, lens, cost",
      openContext,
      "context",
    ],
    ["compact [what to keep]", "preview a compaction", opens("compact"), "compact"],
    ["sessions", "open another session in this folder (also /resume)", opens("sessions")],
    ["connect", "choose a provider or a local server", opens("connect")],
    ["settings", "every setting, with its meaning", opens("settings")],
    ["help [topic]", "keys, commands and the topics of the manual", opens("help"), "help"],
  ],
  context: [
    ["recall [words]", "search everything said or shown in this session", opens("recall")],
    ["rules", "what you said to do always or never, and whether it is in view", opens("rules")],
    ["lens", "what the model saw at any call", opens("lens"), "lens"],
    ["undo-compact [list]", "undo the last compaction, or choose one", undoCompaction],
    ["redo-compact", "redo the last compaction that was undone", redoCompaction],
    [
      `budget [${budgetScopes.join(", ")}] [USD, off]`,
      "what may be spent, and what is; a cap holds until you quit, settings hold for good",
      setBudget,
    ],
    ["cost", "what this session cost, call by call, and the last 30 days", opens("cost")],
  ],
  session: [
    [
      "clear",
      "start a new session; this one is kept (also /new)",
      ({ open }) => open({ kind: "new" }),
    ],
    [
      "rewind [words]",
      "go back to before one of your messages, with or without the files",
      opens("rewind"),
    ],
    ["branches", "list the branches left by rewinds", opens("branches")],
    [
      "fork [title]",
      "continue in a copy of this session",
      ({ open }, title) => open({ kind: "fork", title }),
    ],
    ["rename <title>", "give the session a title", rename],
    ["export [name.md, name.html, name.jsonl]", "write the session to a file", exportSession],
    ["copy", "copy the last answer", copyAnswer, "copy"],
    ["search [words]", "search the whole transcript, including folded parts", search, "search"],
    ["pager", "show the transcript in $PAGER", showPager, "pager"],
    ["queue", "remove the queued messages", clearQueue],
    ["status", "folder, branch, model, permissions, session and server", opens("status")],
    ["exit", "quit", ({ exit }) => exit(), "endOfInput"],
  ],
  project: [
    ["init", "have the agent write an AGENTS.md for this repository", init],
    [
      "memory",
      "notes and instructions, to read and edit (a message that starts with # adds a note)",
      opens("memory"),
    ],
    ["hooks", "all hooks, with what each did last", opens("hooks")],
    ["mcp", "MCP servers: their state, their tools, and what they cost", opens("mcp")],
    [
      "tasks",
      "background commands: read their output, stop them",
      opens("background"),
      "background",
    ],
    ["todo", "the todo list", opens("todo"), "todo"],
  ],
  "how it works": [
    [
      `mode [${permissionModes.join(", ")}]`,
      "choose the permission mode",
      chooses("mode", permissionModes, ({ send }, mode) => send({ type: "mode", mode })),
    ],
    [`effort [${efforts.join(", ")}, default]`, "set the reasoning effort", switchEffort],
    [
      `theme [${themeNames.join(", ")}]`,
      "choose the colors",
      chooses("theme", themeNames, ({ chooseTheme }, theme) => chooseTheme(theme)),
    ],
    ["vim", "turn Vim keys in the prompt on or off", switchVim],
    ["editor", "write the prompt in your editor", presses("editor"), "editor"],
    ["mouse", "turn the mouse on or off", presses("mouse"), "mouse"],
  ],
};

const yours = "your own";

export const commands = Object.entries(groups).flatMap(([group, rows]) =>
  rows.map(([usage, help, run, key]) => {
    const [name = "", ...argument] = usage.split(" ");
    return { name, group, help, usage: argument.join(" "), run, key, isBuiltIn: true };
  }),
);

/** A view of the context; words after it filter its items. */
function openContext({ show, flash }: Host, argument: string): void {
  const [name = "", ...words] = argument.split(" ");
  if (name === "") return show({ kind: "map" });
  const kind = contextTabs.find((tab) => tab === name);
  if (kind) show(words.length === 0 ? { kind } : { kind, text: words.join(" ") });
  else flash(`There is no view ${name}: choose ${contextTabs.join(", ")}.`);
}

/** Shows the caps, or sets one: `/budget 5`, `/budget day 20`, `/budget off`. */
function setBudget({ state, send, flash }: Host, argument: string): void {
  const words = argument.split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    const caps = state.budget.map(
      ({ scope, capUsd, spentUsd }) =>
        `${budgetName(scope)}: ${showUsd(spentUsd)} of ${showUsd(capUsd)}`,
    );
    return flash(caps.join(" · ") || "There is no budget. /budget 5 limits this session to $5.");
  }
  const [scope = "session", amount = ""] =
    words.length === 1 && !isBudgetScope(words[0] ?? "") ? ["session", ...words] : words;
  const usd = amount === "off" ? null : Number(amount.replace(/^\$/, ""));
  if (!isBudgetScope(scope) || (usd !== null && !(usd > 0)))
    return flash(
      "Type /budget 5, /budget day 20, /budget project 100, or off in place of a number.",
    );
  send({ type: "budget", scope, usd });
}

function undoCompaction(host: Host, argument: string): void {
  const cut = host.view.cuts.at(-1);
  if (!cut) host.flash("No compaction to undo.");
  else if (argument === "list") opens("undo")(host, "");
  else void undoCut(host, cut.id);
}

function redoCompaction(host: Host): void {
  const { state, view, flash } = host;
  const undone = state.path.findLast(
    (entry) => entry.type === "restore" && wasUndone(entry.cut, view),
  );
  if (undone?.type !== "restore") return flash("No compaction to redo.");
  redoCut(host, undone.cut);
}

/** Does what a key does that the terminal may keep for itself. */
function presses(action: KeyAction): RunSlashCommand {
  return ({ keys, press: take, flash }) => {
    const [chord] = keys.listChords(action);
    if (chord === undefined)
      flash(`The action ${action} has no key: the setting keys can give it one.`);
    else take(press(chord, ""));
  };
}

function search(host: Host, words: string): void {
  void presses("search")(host, "");
  if (words !== "") host.press({ type: "paste", text: words }, press("enter", ""));
}

function switchVim({ flash, toggleVim }: Host): void {
  flash(toggleVim() ? "Vim keys on: Esc for normal mode." : "Vim keys off.");
}

function switchModel(host: Host, model: string): void {
  if (model === "") opens("model")(host, "");
  else host.send({ type: "model", model });
}

function switchEffort({ settings, flash }: Host, argument: string): void {
  const effort = efforts.find((name) => name === argument);
  if (effort ?? argument === "default")
    settings.change({ ...settings.current, effort }, ["effort"]);
  else
    flash(
      `Effort: ${settings.current.effort ?? "default"}. Choose ${[...efforts, "default"].join(", ")}.`,
    );
}

function rename({ send, flash }: Host, title: string): void {
  if (title === "") return flash("/rename needs a title.");
  send({ type: "rename", title });
  flash(`The session is now called ${title}.`);
}

function clearQueue({ send, state, flash }: Host): void {
  const { length } = state.queue;
  if (length === 0) return flash("No messages are queued.");
  send({ type: "unqueue" });
  flash(length === 1 ? "Removed the queued message." : `Removed ${length} queued messages.`);
}

function init({ options, send, flash, report }: Host): void | Promise<void> {
  if (options.label === "offline")
    return flash("/init needs a language model: /connect one, then try again.");
  return import("./init-prompt.md", { with: { type: "text" } })
    .then(({ default: text }) =>
      send({ type: "prompt", content: [{ type: "text", text: text.trim() }] }),
    )
    .catch(report);
}

function exportSession(host: Host, name: string): void {
  const { services, flash, report } = host;
  const progress = longWork(host, (bar) => flash(`${bar} Exporting …`));
  const exported = services.exportSession(name, progress);
  exported.then((file) => flash(`Exported to ${homePath(file)}.`), report);
}

export function showPager({ suspend, services, state }: Host): void {
  void suspend(() => services.page(transcriptText(state.items)));
}

export function copyAnswer({ state, copy, flash }: Host): void {
  if (state.lastAnswer === "") return flash("There is no answer to copy yet.");
  copy(state.lastAnswer);
  flash("Copied the last answer.");
}

/** Other names of commands, with the first words of their argument. */
const aliases: Record<string, string> = {
  new: "clear",
  resume: "sessions",
  quit: "exit",
  inspect: "context items",
  restore: "context items removed",
  usage: "cost",
};

function findCommand(text: string): { run: RunSlashCommand; argument: string } | null {
  const [, typed = "", rest = ""] = /^\/([\w-]+)(?:\s+([^]*))?$/.exec(text) ?? [];
  const [name = "", ...first] = (aliases[typed] ?? typed).split(" ");
  const command = commands.find((each) => each.name === name);
  return command ? { run: command.run, argument: [...first, rest].join(" ").trim() } : null;
}

/** A note: `# use tabs`, but no heading of a longer text. */
const note = /^#(?!#)\s*(\S.*)$/;

/** Returns a promise if what is typed later must wait, to be sent in its order. */
export function submit(
  host: Host,
  text: string,
  images: readonly ImageBlock[],
): void | Promise<void> {
  const { send } = host;
  if (text.startsWith("!")) return send({ type: "shell", command: text.slice(1).trim() });
  const [, noted] = images.length === 0 ? (note.exec(text) ?? []) : [];
  if (noted !== undefined) {
    send({ type: "remember", note: noted });
    return host.flash("Added to the notes on this folder; /memory opens them.");
  }
  const command = findCommand(text);
  if (command) return command.run(host, command.argument);
  const words = text === "" ? [] : [{ type: "text" as const, text }];
  const sendMessage = (): void => send({ type: "prompt", content: [...images, ...words] });
  return text.startsWith("/") ? sendCommand(host, text, sendMessage) : sendMessage();
}

/** A text that is a command and nothing else. */
const commandAlone = /^\/([\w-]+(?::[\w-]+)*)$/;

/** Sends a text that no built-in command takes, unless it is an unknown command alone. */
async function sendCommand(host: Host, text: string, sendMessage: () => void): Promise<void> {
  const name = commandAlone.exec(text)?.[1];
  if (name === undefined) return sendMessage();
  await host.loadUserCommands();
  // `/server:prompt` is another name of a prompt of an MCP server.
  const names = [name, `mcp__${name.replace(":", "__")}`];
  if (host.userCommands.some((command) => names.includes(command.name))) sendMessage();
  else host.flash(`Unknown command ${text}; /help lists them.`);
}

/** `group` says what it is about, `usage` which arguments it takes. */
export type CommandHelp = {
  name: string;
  group: string;
  help: string;
  usage: string;
  isBuiltIn: boolean;
  key?: KeyAction | undefined;
};

const listed = new Memo<readonly CommandHelp[]>();

/** The built-in commands, and those last read of the user and the project, by group. */
export const listCommands = ({ userCommands }: Host): readonly CommandHelp[] =>
  listed.get([userCommands], () => {
    const own = userCommands.map(({ name, description, argumentHint, isBuiltIn }) => ({
      name,
      group: isBuiltIn ? "project" : yours,
      help: sanitizeLine(description),
      usage: sanitizeLine(argumentHint),
      isBuiltIn: false,
    }));
    const groups = Object.groupBy([...commands, ...own], ({ group }) => group);
    return Object.values(groups).flatMap((inGroup = []) => inGroup);
  });
