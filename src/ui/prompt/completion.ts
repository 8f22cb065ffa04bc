/** Completions at the cursor: a file after `@`, a command after `/`, or an earlier prompt. */

import { type CommandHelp, listCommands } from "../commands.ts";
import type { Shared } from "../shared.ts";
import { bestFirst } from "../panels/navigation.ts";
import { replaceAll, replaceRange, type Editor } from "./editor.ts";

/** `to`: the end of the text that is completed, without the sign before it. */
type CompletionQuery = { kind: "file" | "command" | "history"; text: string; to: number };

/** The candidates, best first, and the index of the selected one. */
export type CompletionList = {
  query: CompletionQuery;
  candidates: readonly string[];
  at: number;
  /** Number of candidates, including those that are not offered. */
  total: number;
  /** More files may be found. */
  isReading?: boolean;
  /** Help of the candidates that are commands, by name. */
  commands?: ReadonlyMap<string, CommandHelp> | undefined;
};

type EditPrompt = (edit: (editor: Editor) => Editor) => void;

/** How many candidates of a kind are offered. */
const most = { file: 10, command: Infinity, history: 100 };

export function completion({
  store,
  actions,
  services,
  panels,
  folder,
}: Pick<Shared, "store" | "actions" | "services" | "panels" | "folder">) {
  /** The newest query; while files are looked for, the list may be that of an earlier one. */
  let asked: CompletionQuery | null = null;
  let list: CompletionList | null = null;
  let loading: Promise<void> | null = null;
  /** The prompts that are searched, newest first. */
  let earlier: readonly string[] | null = null;

  function close(): void {
    asked = null;
    list = null;
    loading = null;
    earlier = null;
  }

  function offer(
    query: CompletionQuery,
    found: readonly string[],
    commands?: CompletionList["commands"],
  ): void {
    const { length: total } = found;
    const candidates = found.slice(0, most[query.kind]);
    const isSearch = query.kind === "history";
    const at = isSearch ? 0 : Math.min(list?.at ?? 0, candidates.length - 1);
    // A search stays open without a match.
    list = total === 0 && !isSearch ? null : { query, candidates, at, total, commands };
  }

  function offerCommands(query: CompletionQuery): void {
    const known = new Map(listCommands({ panels, folder }).map((each) => [each.name, each]));
    const found = bestFirst(query.text, [...known.values()], ({ name, help }) => `${name} ${help}`);
    offer(
      query,
      found.map(({ name }) => name),
      known,
    );
  }

  /** The text or the cursor changed. */
  function update({ text, cursor }: Editor): void {
    const isOpen = asked?.kind === "command";
    const query = earlier ? { kind: "history" as const, text, to: cursor } : queryAt(text, cursor);
    if (!query) return close();
    asked = query;
    loading = null;
    if (query.kind === "file") loading = offerFiles(query).catch(close);
    else if (earlier) {
      const wanted = text.toLowerCase();
      offer(
        query,
        earlier.filter((prompt) => prompt.toLowerCase().includes(wanted)),
      );
    } else {
      offerCommands(query);
      if (!isOpen) void loadCommands();
    }
  }

  async function offerFiles(query: CompletionQuery): Promise<void> {
    const { paths, rest } = await services.files(query.text);
    if (asked !== query) return;
    loading = null;
    offer(query, paths);
    if (rest) {
      list ??= { query, candidates: [], at: 0, total: 0 };
      list = { ...list, isReading: true };
      void rest.then(() => (asked === query ? offerFiles(query) : undefined)).catch(close);
    }
    store.redraw();
  }

  /** Reads the commands of the user and the project once, when the menu opens. */
  async function loadCommands(): Promise<void> {
    await folder.readCommands();
    if (asked?.kind !== "command") return;
    offerCommands(asked);
    store.redraw();
  }

  function pressList(chord: string, edit: EditPrompt): boolean {
    if (!list) return false;
    const shown = list;
    const { candidates, at, query } = shown;
    const count = candidates.length;
    const isComplete = query.kind === "file" || candidates[at] === query.text;
    if (count === 0 && chord !== "escape") return false;
    if (chord === "up") list = { ...shown, at: (at - 1 + count) % count };
    else if (chord === "down") list = { ...shown, at: (at + 1) % count };
    else if (chord === "escape") close();
    else if (chord === "tab" || (chord === "enter" && !isComplete)) {
      edit((editor) => accepted(editor, shown));
      close();
      return chord === "tab" || !runsAlone(shown);
    } else return false;
    return true;
  }

  return {
    close,
    get list(): CompletionList | null {
      return list;
    },
    update,
    /** Offers earlier prompts that contain the text; called again, it selects the next older one. */
    async searchHistory(editor: Editor): Promise<void> {
      if (earlier && list) {
        const last = Math.max(0, list.candidates.length - 1);
        list = { ...list, at: Math.min(list.at + 1, last) };
        return;
      }
      const prompts = await services.loadHistory();
      if (prompts.length === 0) return actions.notify("There are no earlier prompts yet.");
      earlier = [...new Set(prompts.toReversed())];
      update(editor);
    },
    /** Returns a promise if the key waits for candidates; later keys must wait for it. */
    press(chord: string, edit: EditPrompt): boolean | Promise<void> {
      if (loading && ["up", "down", "tab"].includes(chord))
        return loading.then(() => void pressList(chord, edit));
      return pressList(chord, edit);
    },
  };
}

/** A command that needs no argument, which Enter sends as it is chosen. */
function runsAlone({ candidates, at, commands }: CompletionList): boolean {
  const command = commands?.get(candidates[at] ?? "");
  return command?.isBuiltIn === true && !command.usage.startsWith("<");
}

function accepted(editor: Editor, { query, candidates, at }: CompletionList): Editor {
  const { kind, text, to } = query;
  const chosen = candidates[at] ?? "";
  if (kind === "history") return replaceAll(editor, chosen);
  // A folder is completed further.
  const end = kind === "file" && chosen.endsWith("/") ? "" : " ";
  return replaceRange(editor, to - text.length, to, chosen + end);
}

function queryAt(text: string, cursor: number): CompletionQuery | null {
  const before = text.slice(0, cursor);
  const [, command] = /^\/([\w:-]*)$/.exec(before) ?? [];
  if (command !== undefined) return { kind: "command", text: command, to: cursor };
  const [, file] = /(?:^|\s)@([^\s@]*)$/.exec(before) ?? [];
  return file === undefined ? null : { kind: "file", text: file, to: cursor };
}
