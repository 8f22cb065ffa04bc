/** Text entered in the prompt: slash commands, shell commands, notes, messages. */

import type { ImageBlock } from "../protocol/block.ts";
import { efforts } from "../protocol/model.ts";
import { permissionModes } from "../protocol/permission.ts";
import type { EntryId } from "../protocol/entry.ts";
import type { Host, UserCommands } from "./host.ts";
import { longWork } from "./memo.ts";
import { homePath } from "./transcript/format.ts";
import { themeNames } from "./theme.ts";
import { transcriptText } from "./items.ts";
import { undoCut } from "./undo.ts";
import type { ContextTab, Panel, PlainPanel, Services, UserCommand } from "./types.ts";
import { sanitizeLine } from "./sanitize.ts";

type CommandHost = Omit<Host, "theme" | "keys" | "redraw" | "folder" | "userCommands" | "settings">;

type RunSlashCommand = (host: CommandHost, argument: string) => void;

const opens =
  (panel: Panel | ((argument: string) => Panel)): RunSlashCommand =>
  ({ dispatch }, argument) =>
    dispatch({ type: "panel", panel: typeof panel === "function" ? panel(argument) : panel });

const plain = (kind: PlainPanel): RunSlashCommand => opens({ kind });

const tab = (name: ContextTab): RunSlashCommand => opens({ kind: "context", tab: name });

const chooses =
  <T extends string>(
    kind: "mode" | "theme",
    names: readonly T[],
    take: (host: CommandHost, name: T) => void,
  ): RunSlashCommand =>
  (host, argument) => {
    if (argument === "") return plain(kind)(host, "");
    const chosen = names.find((name) => name === argument);
    if (chosen) take(host, chosen);
    else host.flash(`There is no ${kind} ${argument}: choose ${names.join(", ")}.`);
  };

const all: readonly (readonly [name: string, help: string, run: RunSlashCommand])[] = [
  [
    "help",
    "keys, commands and the topics of the manual: /help [topic]",
    opens((topic) => ({ kind: "help", topic })),
  ],
  [
    "compact",
    "preview a compaction: /compact [what to keep]",
    opens((focus) => ({ kind: "compact", focus })),
  ],
  ["context", "what fills the context", tab("map")],
  ["inspect", "every item in the context: pin, drop, restore", tab("items")],
  [
    "recall",
    "search everything said or shown in this session: /recall [words]",
    opens((query) => ({ kind: "recall", query })),
  ],
  [
    "memory",
    "notes and instructions, to read and edit (a message that starts with # adds a note)",
    plain("memory"),
  ],
  ["hooks", "all hooks, with what each did last", plain("hooks")],
  ["tasks", "background commands: read their output, stop them", plain("background")],
  ["todo", "the todo list", plain("todo")],
  ["undo-compact", "undo the last compaction, or choose one: /undo-compact [list]", undoCompaction],
  ["redo-compact", "redo the last compaction that was undone", redoCompaction],
  [
    "restore",
    "choose a removed item to restore: /restore [words]",
    opens((query) => ({ kind: "context", tab: "items", query })),
  ],
  [
    "mode",
    `permission mode: /mode [${permissionModes.join(", ")}]`,
    chooses("mode", permissionModes, ({ send }, mode) => send({ type: "mode", mode })),
  ],
  ["model", "switch the model: /model [name]", switchModel],
  [
    "effort",
    `how much effort goes into an answer: /effort [${efforts.join(", ")}, default]`,
    switchEffort,
  ],
  [
    "theme",
    `colors: /theme [${themeNames.join(", ")}]`,
    chooses("theme", themeNames, ({ chooseTheme }, theme) => chooseTheme(theme)),
  ],
  [
    "vim",
    "turn Vim keys in the prompt on or off",
    ({ flash, toggleVim }) =>
      flash(toggleVim() ? "Vim keys on: Esc for normal mode." : "Vim keys off."),
  ],
  [
    "connect",
    "switch the provider: an Anthropic key, or a server on this machine",
    plain("connect"),
  ],
  ["rename", "give the session a title: /rename <title>", rename],
  ["status", "folder, branch, model, permissions, session and server", plain("status")],
  ["settings", "every setting, with its meaning", plain("settings")],
  ["cost", "what the session cost, call by call", tab("cost")],
  ["usage", "what today, this week and this project cost", tab("usage")],
  ["init", "have the agent write an AGENTS.md for this repository", (host) => void sendInit(host)],
  [
    "export",
    "write the session to a file: /export [name.md, name.html, name.jsonl]",
    exportSession,
  ],
  ["mcp", "MCP servers: their state, their tools, and what they cost", plain("mcp")],
  ["sessions", "open another session in this folder (also /resume)", plain("sessions")],
  [
    "clear",
    "start a new session; this one is kept (also /new)",
    ({ open }) => open({ kind: "new" }),
  ],
  [
    "fork",
    "continue in a copy of this session: /fork [title]",
    ({ open }, title) => open({ kind: "fork", title }),
  ],
  [
    "rewind",
    "go back to before one of your messages, with or without the files: /rewind [words]",
    opens((query) => ({ kind: "rewind", query })),
  ],
  ["branches", "list the branches left by rewinds", plain("branches")],
  ["copy", "copy the last answer", copyAnswer],
  ["pager", "show the transcript in $PAGER", showPager],
  ["queue", "remove the queued messages", clearQueue],
  ["exit", "quit", ({ exit }) => exit()],
];

export const commands = all.map(([name, help, run]) => ({ name, help, run }));

function undoCompaction(host: CommandHost, argument: string): void {
  const cut = host.view.cuts.at(-1);
  if (!cut) host.flash("No compaction to undo.");
  else if (argument === "list") plain("undo")(host, "");
  else void undoCut(host, cut.id);
}

/** What was undone applies again, at the price of the cache alone: no model is asked. */
function redoCompaction({ state, view, send, flash }: CommandHost): void {
  const isStanding = (id: EntryId): boolean => view.cuts.some((cut) => cut.id === id);
  const undone = state.path.findLast(
    (entry) => entry.type === "restore" && entry.entry === undefined && !isStanding(entry.cut),
  );
  if (undone?.type !== "restore") return flash("No compaction to redo.");
  send({ type: "restore", cut: undone.cut, redo: true });
}

function switchModel(host: CommandHost, model: string): void {
  if (model === "") plain("model")(host, "");
  else host.send({ type: "model", model });
}

function switchEffort({ send, flash }: CommandHost, argument: string): void {
  const effort = efforts.find((name) => name === argument);
  if (effort) send({ type: "effort", effort });
  else if (argument === "default") send({ type: "effort", effort: null });
  else flash(`Choose an effort: ${[...efforts, "default"].join(", ")}.`);
}

function rename({ send, flash }: CommandHost, title: string): void {
  if (title === "") return flash("/rename needs a title.");
  send({ type: "rename", title });
  flash(`The session is now called ${title}.`);
}

function clearQueue({ send, state, flash }: CommandHost): void {
  const { length } = state.queue;
  if (length === 0) return flash("No messages are queued.");
  send({ type: "unqueue" });
  flash(length === 1 ? "Removed the queued message." : `Removed ${length} queued messages.`);
}

async function sendInit({ options, send, flash }: CommandHost): Promise<void> {
  if (options.label === "offline")
    return flash("/init needs a language model: /connect one, then try again.");
  const { default: text } = await import("./init-prompt.md", { with: { type: "text" } });
  send({ type: "prompt", content: [{ type: "text", text: text.trim() }] });
}

function exportSession(host: CommandHost, name: string): void {
  const { options, flash, report } = host;
  const progress = longWork(host, (bar) => flash(`${bar} Exporting …`));
  options.services
    .exportSession(name, progress)
    .then((file) => flash(`Exported to ${homePath(file)}.`))
    .catch(report);
}

export function showPager(host: Pick<Host, "suspend" | "options" | "state">): void {
  const { suspend, options, state } = host;
  void suspend(() => options.services.page(transcriptText(state.items)));
}

export function copyAnswer({ state, copy, flash }: Pick<Host, "state" | "copy" | "flash">): void {
  if (state.lastAnswer === "") return flash("There is no answer to copy yet.");
  copy(state.lastAnswer);
  flash("Copied the last answer.");
}

const aliases: Record<string, string> = { new: "clear", resume: "sessions", quit: "exit" };

function runCommand(text: string, host: CommandHost): boolean {
  const [, typed = "", argument = ""] = /^\/([\w-]+)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = commands.find(({ name }) => name === (aliases[typed] ?? typed));
  command?.run(host, argument.trim());
  return command !== undefined;
}

/** A note: `# use tabs`, but no heading of a longer text. */
const note = /^#(?!#)\s*(\S.*)$/;

export function submit(
  host: CommandHost & Pick<Host, "userCommands">,
  text: string,
  images: readonly ImageBlock[],
): void {
  const { send } = host;
  if (text.startsWith("!")) return send({ type: "shell", command: text.slice(1).trim() });
  const [, noted] = images.length === 0 ? (note.exec(text) ?? []) : [];
  if (noted !== undefined) {
    send({ type: "remember", note: noted });
    return host.flash("Added to the notes on this folder; /memory opens them.");
  }
  if (text.startsWith("/") && runCommand(text, host)) return;
  const words = text === "" ? [] : [{ type: "text" as const, text }];
  const sendMessage = (): void => send({ type: "prompt", content: [...images, ...words] });
  if (!text.startsWith("/")) return sendMessage();
  void host.userCommands.canSend(text).then((canSend) => {
    if (canSend) sendMessage();
    else host.flash(`Unknown command ${text}; /help lists them.`);
  });
}

const userCommand = /^\/([\w-]+(?::[\w-]+)*)(?:\s|$)/;

export function userCommands(services: Pick<Services, "commands">): UserCommands {
  let known: readonly UserCommand[] = [];
  return {
    async load() {
      known = await services.commands().catch(() => []);
    },
    get help() {
      return new Map([
        ...commands.map(({ name, help }) => [name, help] as const),
        ...known.map((command) => [command.name, describeCommand(command)] as const),
      ]);
    },
    async canSend(text) {
      const name = userCommand.exec(text)?.[1];
      if (name === undefined || text.includes(" ")) return true;
      await this.load();
      // `/server:prompt` is another name of a prompt of an MCP server.
      const names = [name, `mcp__${name.replace(":", "__")}`];
      return known.some((command) => names.includes(command.name));
    },
  };
}

const describeCommand = ({ description, argumentHint }: UserCommand): string =>
  sanitizeLine([argumentHint, description].filter((part) => part !== "").join(" · "));
