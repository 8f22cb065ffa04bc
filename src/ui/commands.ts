/** Text entered in the prompt: slash commands, shell commands, notes, messages. */

import type { FolderFacts } from "./folder-facts.ts";
import type { KeyAction } from "../config/keys.ts";
import type { ImageBlock } from "../protocol/block.ts";
import { efforts } from "../protocol/model.ts";
import { Memo } from "./memo.ts";
import { budgetName, budgetScopes, isBudgetScope } from "../protocol/budget.ts";
import { homePath, showUsd } from "./transcript/format.ts";
import { redoCut, undoCut, wasUndone } from "./undo.ts";
import type { PanelName } from "./types.ts";
import { press } from "./keys.ts";
import { sanitizeLine } from "./sanitize.ts";
import { type CommandGroup, commandGroups, type RunSlashCommand, type Shared } from "./shared.ts";

const opens =
  (kind: PanelName): RunSlashCommand =>
  ({ actions }, text) =>
    actions.show(text === "" ? { kind } : { kind, text });

/** `key`: the equivalent shortcut. */
type CommandRow = readonly [usage: string, help: string, run: RunSlashCommand, key?: KeyAction];

/** Commands without a panel. */
const groups: Readonly<Record<CommandGroup, readonly CommandRow[]>> = {
  "every day": [],
  context: [
    ["undo-compact [list]", "undo the last compaction, or choose one", undoCompaction],
    ["redo-compact", "redo the last compaction that was undone", redoCompaction],
    [
      `budget [${budgetScopes.join(", ")}] [USD, off]`,
      "show or set spending caps; a cap lasts until you quit, a setting is permanent",
      setBudget,
    ],
  ],
  session: [
    [
      "clear",
      "start a new session; this one is kept (also /new)",
      ({ actions }) => actions.open({ kind: "new" }),
    ],
    [
      "fork [title]",
      "continue in a copy of this session",
      ({ actions }, title) => actions.open({ kind: "fork", title }),
    ],
    ["rename <title>", "give the session a title", rename],
    ["export [name.md, name.html, name.jsonl]", "write the session to a file", exportSession],
    ["copy", "copy the last answer", copyAnswer, "copy"],
    ["search [words]", "search the whole transcript, including folded parts", search, "search"],
    ["exit", "quit", ({ actions }) => actions.exit(), "endOfInput"],
  ],
  project: [["init", "have the agent write an AGENTS.md for this repository", init]],
  "how it works": [
    [`effort [${efforts.join(", ")}, default]`, "set the reasoning effort", switchEffort],
    ["vim", "turn Vim keys in the prompt on or off", switchVim],
    ["editor", "write the prompt in your editor", presses("editor"), "editor"],
    ["mouse", "turn the mouse on or off", presses("mouse"), "mouse"],
  ],
};

const yours = "your own";

type Command = CommandHelp & { run: RunSlashCommand };

const known = new Memo<readonly Command[]>();

/** Built-in commands; panel commands come first in each group. */
const builtIn = (panels: Shared["panels"]): readonly Command[] =>
  known.get([panels], () =>
    commandGroups.flatMap((group) => [
      ...panels.flatMap(({ kind, command, key }) => {
        const [usage, help, among, run = opens(kind)] = command ?? [];
        return usage !== undefined && help !== undefined && among === group
          ? [toCommand(usage, help, group, run, key)]
          : [];
      }),
      ...groups[group].map(([usage, help, run, key]) => toCommand(usage, help, group, run, key)),
    ]),
  );

function toCommand(
  typed: string,
  help: string,
  group: string,
  run: RunSlashCommand,
  key?: KeyAction,
): Command {
  const [name = "", ...argument] = typed.split(" ");
  return { name, group, help, usage: argument.join(" "), run, key, isBuiltIn: true };
}

/** Shows the caps, or sets one: `/budget 5`, `/budget day 20`, `/budget off`. */
function setBudget({ store, actions }: Shared, argument: string): void {
  const { send, notify } = actions;
  const words = argument.split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    const caps = store.state.budget.map(
      ({ scope, capUsd, spentUsd }) =>
        `${budgetName(scope)}: ${showUsd(spentUsd)} of ${showUsd(capUsd)}`,
    );
    return notify(caps.join(" · ") || "There is no budget. /budget 5 limits this session to $5.");
  }
  const [scope = "session", amount = ""] =
    words.length === 1 && !isBudgetScope(words[0] ?? "") ? ["session", ...words] : words;
  const usd = amount === "off" ? null : Number(amount.replace(/^\$/, ""));
  if (!isBudgetScope(scope) || (usd !== null && !(usd > 0)))
    return notify(
      "Type /budget 5, /budget day 20, /budget project 100, or off in place of a number.",
    );
  // A notice about the former caps no longer applies.
  store.dispatch({ type: "set", flash: null });
  send({ type: "budget", scope, usd });
}

function undoCompaction(shared: Shared, argument: string): void {
  const cut = shared.store.view.cuts.at(-1);
  if (!cut) shared.actions.notify("No compaction to undo.");
  else if (argument === "list") opens("undo")(shared, "");
  else undoCut(shared, cut.id);
}

function redoCompaction(shared: Shared): void {
  const { state, view } = shared.store;
  const undone = state.path.findLast(
    (entry) => entry.type === "restore" && wasUndone(entry.cut, view),
  );
  if (undone?.type !== "restore") return shared.actions.notify("No compaction to redo.");
  redoCut(shared, undone.cut);
}

/** Simulates a key that the terminal may intercept. */
function presses(action: KeyAction): RunSlashCommand {
  return ({ keys, actions }) => {
    const [chord] = keys.listChords(action);
    if (chord === undefined)
      actions.notify(`The action ${action} has no key; assign one in the setting keys.`);
    else actions.press(press(chord, ""));
  };
}

function search(shared: Shared, words: string): void {
  void presses("search")(shared, "");
  if (words !== "") shared.actions.press({ type: "paste", text: words }, press("enter", ""));
}

function switchVim({ actions }: Shared): void {
  actions.notify(actions.toggleVim() ? "Vim keys on: Esc for normal mode." : "Vim keys off.");
}

function switchEffort({ settings, actions }: Shared, argument: string): void {
  const effort = efforts.find((name) => name === argument);
  if (effort ?? argument === "default")
    settings.change({ ...settings.current, effort }, ["effort"]);
  else
    actions.notify(
      `Effort: ${settings.current.effort ?? "default"}. Choose ${[...efforts, "default"].join(", ")}.`,
    );
}

function rename({ actions }: Shared, title: string): void {
  const { send, notify } = actions;
  if (title === "") return notify("/rename needs a title.");
  send({ type: "rename", title });
  notify(`The session is now called ${title}.`);
}

function init({ session, actions }: Shared): void | Promise<void> {
  const { send, notify, report } = actions;
  if (session.label === "offline")
    return notify("/init needs a language model: /connect one, then try again.");
  return import("./init-prompt.md", { with: { type: "text" } })
    .then(({ default: text }) =>
      send({
        type: "prompt",
        content: [{ type: "text", text: text.trim() }],
        typed: "/init",
      }),
    )
    .catch(report);
}

function exportSession({ actions, services }: Shared, name: string): void {
  const { notify, report } = actions;
  services.exportSession(name).then((file) => notify(`Exported to ${homePath(file)}.`), report);
}

export function copyAnswer({ store, actions }: Pick<Shared, "store" | "actions">): void {
  actions.copy(store.state.lastAnswer, "last answer");
}

/** Aliases: command name and leading arguments. */
const aliases: Record<string, string> = {
  new: "clear",
  resume: "sessions",
  quit: "exit",
  inspect: "context items",
  restore: "context items removed",
  usage: "cost",
};

function findCommand(
  panels: Shared["panels"],
  text: string,
): { run: RunSlashCommand; argument: string } | null {
  const [, typed = "", rest = ""] = /^\/([\w-]+)(?:\s+([^]*))?$/.exec(text) ?? [];
  const [name = "", ...first] = (aliases[typed] ?? typed).split(" ");
  const command = builtIn(panels).find((each) => each.name === name);
  return command ? { run: command.run, argument: [...first, rest].join(" ").trim() } : null;
}

/** A note: `# use tabs`, but no heading of a longer text. */
const note = /^#(?!#)\s*(\S.*)$/;

/** A returned promise delays later input, to keep the order. */
export function submit(
  shared: Shared,
  text: string,
  images: readonly ImageBlock[],
): void | Promise<void> {
  const { send, notify } = shared.actions;
  if (text.startsWith("!")) return send({ type: "shell", command: text.slice(1).trim() });
  const [, noted] = images.length === 0 ? (note.exec(text) ?? []) : [];
  if (noted !== undefined) {
    send({ type: "remember", note: noted });
    return notify("Added to the notes for this folder; /memory opens them.");
  }
  const command = findCommand(shared.panels, text);
  if (command) return command.run(shared, command.argument);
  const words = text === "" ? [] : [{ type: "text" as const, text }];
  const sendMessage = (): void => send({ type: "prompt", content: [...images, ...words] });
  return text.startsWith("/") ? sendCommand(shared, text, sendMessage) : sendMessage();
}

/** A command without arguments. */
const commandAlone = /^\/([\w-]+(?::[\w-]+)*)$/;

/** Sends text for a custom command; reports an unknown command without arguments. */
async function sendCommand(
  { actions, folder }: Shared,
  text: string,
  sendMessage: () => void,
): Promise<void> {
  const name = commandAlone.exec(text)?.[1];
  if (name === undefined) return sendMessage();
  await folder.readCommands();
  // `/server:prompt` is an alias for an MCP prompt.
  const names = [name, `mcp__${name.replace(":", "__")}`];
  if (folder.commands.some((command) => names.includes(command.name))) sendMessage();
  else actions.notify(`Unknown command ${text}; /help lists them.`);
}

/** `usage`: the arguments. */
export type CommandHelp = {
  name: string;
  group: string;
  help: string;
  usage: string;
  isBuiltIn: boolean;
  key?: KeyAction | undefined;
};

const listed = new Memo<readonly CommandHelp[]>();

/** Built-in and custom commands (as last read), by group. */
export const listCommands = ({
  panels,
  folder,
}: Pick<Shared, "panels"> & { folder: Pick<FolderFacts, "commands"> }): readonly CommandHelp[] =>
  listed.get([panels, folder.commands], () => {
    const own = folder.commands.map(({ name, description, argumentHint, isBuiltIn }) => ({
      name,
      group: isBuiltIn ? "project" : yours,
      help: sanitizeLine(description),
      usage: sanitizeLine(argumentHint),
      isBuiltIn: false,
    }));
    const groups = Object.groupBy([...builtIn(panels), ...own], ({ group }) => group);
    return Object.values(groups).flatMap((inGroup = []) => inGroup);
  });
