/** The slash commands. */

import { messageOf } from "../protocol/in-words.ts";
import { efforts } from "../protocol/model.ts";
import { permissionModes } from "../protocol/permission.ts";
import type { Host } from "./host.ts";
import { longWork } from "./long-work.ts";
import { homePath } from "./start/home-path.ts";
import { themeNames } from "./theme.ts";
import { transcriptText } from "./transcript/item-text.ts";
import { undoCut } from "./undo.ts";
import type { Panel } from "./types.ts";

type CommandHost = Omit<Host, "theme" | "keys" | "redraw" | "folder" | "userCommands" | "settings">;

type SlashCommand = {
  name: string;
  help: string;
  run(host: CommandHost, argument: string): void;
};

const opens =
  (panel: Panel) =>
  ({ dispatch }: CommandHost): void =>
    dispatch({ type: "panel", panel });

export const commands: readonly SlashCommand[] = [
  { name: "help", help: "keys and commands", run: opens({ kind: "help" }) },
  {
    name: "compact",
    help: "preview a compaction: /compact [what to keep]",
    run: ({ dispatch }, focus) => dispatch({ type: "panel", panel: { kind: "compact", focus } }),
  },
  {
    name: "context",
    help: "what fills the context",
    run: opens({ kind: "context", tab: "map" }),
  },
  {
    name: "inspect",
    help: "every item of the context: pin, drop, restore",
    run: opens({ kind: "context", tab: "items" }),
  },
  {
    name: "recall",
    help: "search everything said or shown in this session: /recall [words]",
    run: ({ dispatch }, query) => dispatch({ type: "panel", panel: { kind: "recall", query } }),
  },
  {
    name: "memory",
    help: "notes and instructions, to read and edit (a message that starts with # adds a note)",
    run: opens({ kind: "memory" }),
  },
  { name: "hooks", help: "every hook, and what it did last", run: opens({ kind: "hooks" }) },
  {
    name: "tasks",
    help: "commands in the background: read and stop them",
    run: opens({ kind: "background" }),
  },
  { name: "todo", help: "the todo list", run: opens({ kind: "todo" }) },
  {
    name: "undo-compact",
    help: "undo the last compaction, or choose one: /undo-compact [list]",
    run(host, argument) {
      const cut = host.view.cuts.at(-1);
      if (!cut) host.flash("No compaction to undo.");
      else if (argument === "list") opens({ kind: "undo" })(host);
      else undoCut(host, cut.id);
    },
  },
  {
    name: "restore",
    help: "choose a removed item to restore: /restore [words]",
    run: ({ dispatch }, query) =>
      dispatch({ type: "panel", panel: { kind: "context", tab: "items", query } }),
  },
  {
    name: "mode",
    help: `permission mode: /mode [${permissionModes.join(", ")}]`,
    run(host, argument) {
      if (argument === "") return opens({ kind: "mode" })(host);
      const mode = permissionModes.find((name) => name === argument);
      if (mode) host.send({ type: "mode", mode });
      else host.flash(`There is no mode ${argument}: choose ${permissionModes.join(", ")}.`);
    },
  },
  {
    name: "model",
    help: "switch the model: /model [name]",
    run(host, model) {
      if (model === "") return opens({ kind: "model" })(host);
      host.send({ type: "model", model });
    },
  },
  {
    name: "effort",
    help: `how much work an answer is worth: /effort [${efforts.join(", ")}, default]`,
    run(host, argument) {
      const effort = efforts.find((name) => name === argument);
      if (effort) host.send({ type: "effort", effort });
      else if (argument === "default") host.send({ type: "effort", effort: null });
      else host.flash(`Choose an effort: ${[...efforts, "default"].join(", ")}.`);
    },
  },
  {
    name: "theme",
    help: `colors: /theme [${themeNames.join(", ")}]`,
    run(host, argument) {
      if (argument === "") return opens({ kind: "theme" })(host);
      const theme = themeNames.find((name) => name === argument);
      if (theme) host.chooseTheme(theme);
      else host.flash(`There is no theme ${argument}: choose ${themeNames.join(", ")}.`);
    },
  },
  {
    name: "vim",
    help: "turn vim keys in the prompt on or off",
    run(host) {
      host.flash(host.toggleVim() ? "Vim keys on: Esc for normal mode." : "Vim keys off.");
    },
  },
  {
    name: "connect",
    help: "switch the provider: an Anthropic key, or a server on this machine",
    run: opens({ kind: "connect" }),
  },
  {
    name: "rename",
    help: "give the session a title: /rename <title>",
    run(host, title) {
      if (title === "") return host.flash("/rename needs a title.");
      host.send({ type: "rename", title });
      host.flash(`The session is now called ${title}.`);
    },
  },
  {
    name: "status",
    help: "folder, branch, model, permissions, session and server",
    run: opens({ kind: "status" }),
  },
  { name: "settings", help: "every setting, with its meaning", run: opens({ kind: "settings" }) },
  { name: "cost", help: "what the session cost, call by call", run: opens({ kind: "cost" }) },
  {
    name: "balance",
    help: "what keeping more, or saving more, would have cost here",
    run: opens({ kind: "balance" }),
  },
  {
    name: "usage",
    help: "what today, this week and this project cost",
    run: opens({ kind: "usage" }),
  },
  {
    name: "init",
    help: "have the agent write an AGENTS.md for this repository",
    run: (host) => void sendInit(host),
  },
  {
    name: "export",
    help: "write the session to a file: /export [name.md, name.html, name.jsonl]",
    run: (host, name) => void exportSession(host, name),
  },
  {
    name: "mcp",
    help: "MCP servers: their state, their tools, and what they cost",
    run: opens({ kind: "mcp" }),
  },
  {
    name: "sessions",
    help: "open another session of this folder (also /resume)",
    run: opens({ kind: "sessions" }),
  },
  {
    name: "clear",
    help: "start a new session; this one is kept (also /new)",
    run: ({ open }) => open({ kind: "new" }),
  },
  {
    name: "fork",
    help: "continue in a copy of this session: /fork [title]",
    run: ({ open }, title) => open({ kind: "fork", title }),
  },
  {
    name: "rewind",
    help: "go back to before one of your messages, with or without the files: /rewind [words]",
    run: ({ dispatch }, query) => dispatch({ type: "panel", panel: { kind: "rewind", query } }),
  },
  {
    name: "branches",
    help: "list the branches that rewinds left",
    run: opens({ kind: "branches" }),
  },
  {
    name: "copy",
    help: "copy the last answer",
    run: copyAnswer,
  },
  {
    name: "pager",
    help: "show the transcript in $PAGER",
    run: showPager,
  },
  {
    name: "queue",
    help: "remove the queued messages",
    run({ send, state, flash }) {
      const { length } = state.queue;
      if (length === 0) return flash("No messages are queued.");
      send({ type: "unqueue" });
      flash(length === 1 ? "Removed the queued message." : `Removed ${length} queued messages.`);
    },
  },
  { name: "exit", help: "quit", run: ({ exit }) => exit() },
];

async function sendInit({ options, send, flash }: CommandHost): Promise<void> {
  if (options.label === "offline")
    return flash("/init needs a language model: /connect one, then try again.");
  const { default: text } = await import("./init-prompt.md", { with: { type: "text" } });
  send({ type: "prompt", content: [{ type: "text", text: text.trim() }] });
}

async function exportSession(host: CommandHost, name: string): Promise<void> {
  const { options, flash } = host;
  const progress = longWork(host, (bar) => flash(`${bar} Exporting …`));
  try {
    const file = await options.services.exportSession?.(name, progress);
    if (file !== undefined) flash(`Exported to ${homePath(file)}.`);
  } catch (error) {
    flash(messageOf(error));
  }
}

/** Copies the last answer, and says so. */
export function showPager({
  suspend,
  options,
  state,
}: Pick<Host, "suspend" | "options" | "state">): void {
  void suspend(() => options.services.page(transcriptText(state.items)));
}

export function copyAnswer({ state, copy, flash }: Pick<Host, "state" | "copy" | "flash">): void {
  if (state.lastAnswer === "") return flash("There is no answer to copy yet.");
  copy(state.lastAnswer);
  flash("Copied the last answer.");
}

const aliases: Record<string, string> = { new: "clear", resume: "sessions", quit: "exit" };

/** Runs a line that begins with a slash; false: there is no such command. */
export function runCommand(text: string, host: CommandHost): boolean {
  const [, typed = "", argument = ""] = /^\/([\w-]+)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = commands.find(({ name }) => name === (aliases[typed] ?? typed));
  command?.run(host, argument.trim());
  return command !== undefined;
}
