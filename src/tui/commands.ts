/** What can be typed after a slash. */

import { permissionModes } from "../protocol/permission.ts";
import { themeNames } from "./theme.ts";
import { restoreEntry, undoCut } from "./undo.ts";
import { transcriptText } from "./transcript/item-text.ts";
import type { PanelProps } from "./types.ts";

export type CommandContext = Pick<
  PanelProps,
  | "state"
  | "dispatch"
  | "send"
  | "view"
  | "rules"
  | "reading"
  | "options"
  | "copy"
  | "suspend"
  | "open"
  | "nowMs"
> & {
  exit(): void;
};

export type SlashCommand = {
  name: string;
  help: string;
  run(context: CommandContext, args: string): void;
};

const flash = ({ dispatch, nowMs }: CommandContext, text: string): void =>
  dispatch({ type: "flash", text, untilMs: nowMs + 4_000 });

export const commands: readonly SlashCommand[] = [
  {
    name: "help",
    help: "keys and commands",
    run: ({ dispatch }) => dispatch({ type: "panel", panel: { kind: "help" } }),
  },
  {
    name: "compact",
    help: "preview a compaction; what follows is its focus",
    run: ({ dispatch }, focus) => dispatch({ type: "panel", panel: { kind: "compact", focus } }),
  },
  {
    name: "context",
    help: "what fills the context",
    run: ({ dispatch }) => dispatch({ type: "panel", panel: { kind: "context" } }),
  },
  {
    name: "inspect",
    help: "every item of the context: pin, drop, restore",
    run: ({ dispatch }) => dispatch({ type: "panel", panel: { kind: "inspect" } }),
  },
  {
    name: "recall",
    help: "find what was ever said or shown in this session; what follows is looked for",
    run: ({ dispatch }, query) =>
      dispatch({ type: "panel", panel: { kind: "recall", query: query.trim() } }),
  },
  {
    name: "todo",
    help: "the todo list",
    run: ({ dispatch }) => dispatch({ type: "panel", panel: { kind: "todo" } }),
  },
  {
    name: "undo-compact",
    help: "take the latest compaction back; later turns stay",
    run(context) {
      const cut = context.view.cuts.at(-1);
      if (!cut) return flash(context, "There is no compaction to take back.");
      undoCut(context, cut.id);
    },
  },
  {
    name: "restore",
    help: "bring back what was cut of one item: /restore #e12",
    run(context, args) {
      const id = args.trim().replace(/^#/, "");
      if (id === "") return context.dispatch({ type: "panel", panel: { kind: "inspect" } });
      restoreEntry(context, id);
    },
  },
  {
    name: "mode",
    help: `permission mode: ${permissionModes.join(", ")}`,
    run(context, args) {
      if (args.trim() === "") return context.dispatch({ type: "panel", panel: { kind: "mode" } });
      const mode = permissionModes.find((name) => name === args.trim());
      if (mode) context.send({ type: "mode", mode });
      else flash(context, `/mode takes one of ${permissionModes.join(", ")}.`);
    },
  },
  {
    name: "model",
    help: "ask another model from now on",
    run(context, args) {
      const model = args.trim();
      if (model === "") return context.dispatch({ type: "panel", panel: { kind: "model" } });
      context.send({ type: "model", model });
    },
  },
  {
    name: "theme",
    help: `colours: ${themeNames.join(", ")}`,
    run: ({ dispatch }) => dispatch({ type: "panel", panel: { kind: "theme" } }),
  },
  {
    name: "vim",
    help: "vim's keys in the prompt, on or off",
    run(context) {
      const isOn = context.state.vim !== null;
      context.dispatch({ type: "vim", mode: isOn ? null : "insert" });
      flash(context, isOn ? "Vim's keys are off." : "Vim's keys are on: Esc for normal mode.");
    },
  },
  {
    name: "connect",
    help: "another provider from now on: a key, or a server on this machine",
    run: ({ dispatch }) => dispatch({ type: "panel", panel: { kind: "connect" } }),
  },
  {
    name: "rename",
    help: "give the session a title",
    run(context, args) {
      if (args.trim() === "") return flash(context, "/rename takes the new title.");
      context.send({ type: "rename", title: args.trim() });
    },
  },
  {
    name: "cost",
    help: "what the session cost, call by call",
    run: ({ dispatch }) => dispatch({ type: "panel", panel: { kind: "cost" } }),
  },
  {
    name: "sessions",
    help: "the sessions of this folder; Enter opens one here (also /resume)",
    run: ({ dispatch }) => dispatch({ type: "panel", panel: { kind: "sessions" } }),
  },
  {
    name: "clear",
    help: "a new session; this one stays and can be opened again (also /new)",
    run: ({ open }) => open({ kind: "new" }),
  },
  {
    name: "fork",
    help: "go on from here in a session of its own; what follows is its title",
    run: ({ open }, title) => open({ kind: "fork", title: title.trim() }),
  },
  {
    name: "rewind",
    help: "go back to before one of your messages: conversation, files, or both",
    run(context, args) {
      if (args.trim() === "") return context.dispatch({ type: "panel", panel: { kind: "rewind" } });
      const wanted = args.trim().replace(/^#/, "");
      const rows = context.view.rows;
      const row = rows.find(({ entry }) => entry.id === wanted);
      if (row?.entry.type !== "user") return flash(context, "There is no such message of yours.");
      context.send({ type: "rewind", to: row.entry.parent, files: false, conversation: true });
      const text = row.entry.content
        .flatMap((block) => (block.type === "text" ? [block.text] : []))
        .join("\n");
      context.dispatch({ type: "draft", text });
    },
  },
  {
    name: "branches",
    help: "what rewinds left behind, to go back to",
    run: ({ dispatch }) => dispatch({ type: "panel", panel: { kind: "branches" } }),
  },
  {
    name: "copy",
    help: "copy the last answer",
    run(context) {
      context.copy(context.state.lastAnswer);
      flash(context, "Copied the last answer.");
    },
  },
  {
    name: "pager",
    help: "the transcript in $PAGER",
    run: (context) =>
      void context.suspend(() =>
        context.options.services.page(transcriptText(context.state.items)),
      ),
  },
  {
    name: "queue",
    help: "take the waiting messages back",
    run: ({ send }) => send({ type: "unqueue" }),
  },
  { name: "exit", help: "leave", run: ({ exit }) => exit() },
];

const aliases: Record<string, string> = { new: "clear", resume: "sessions", quit: "exit" };

/** Runs what was typed; false: there is no such command. */
export function runCommand(text: string, context: CommandContext): boolean {
  const found = /^\/([\w-]+)\s*([\s\S]*)$/.exec(text);
  const wanted = found?.[1] ?? "";
  const command = commands.find(({ name }) => name === (aliases[wanted] ?? wanted));
  if (!command) return false;
  command.run(context, found?.[2] ?? "");
  return true;
}
