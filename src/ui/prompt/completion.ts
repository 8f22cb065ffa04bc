/** Completions at the cursor: a file after `@`, a command after `/`, or an earlier prompt. */

import type { CommandHelp, Host } from "../host.ts";
import { bestFirst } from "../panels/panel.ts";
import { replaceAll, replaceRange, type Editor } from "./editor.ts";

type CompletionQuery = {
  kind: "file" | "command" | "history";
  query: string;
  from: number;
  to: number;
};

/** The candidates, best first, and the index of the selected one. */
export type CompletionList = {
  query: CompletionQuery;
  candidates: readonly string[];
  at: number;
  /** Number of candidates, including those that are not offered. */
  total: number;
  /** Of the candidates, if they are commands. */
  commands?: ReadonlyMap<string, CommandHelp> | undefined;
};

type EditPrompt = (edit: (editor: Editor) => Editor) => void;

const maxOffered = 10;

const maxFound = 100;

export function completion(host: Host) {
  const { services } = host.options;
  let list: CompletionList | null = null;
  /** Set while candidates are being loaded. */
  let loading: Promise<void> | null = null;
  let command: CompletionQuery | null = null;
  let earlier: readonly string[] | null = null;

  function close(): void {
    list = null;
    loading = null;
    earlier = null;
    command = null;
  }

  /** Reads the commands of the user and the project once, when the menu opens. */
  async function loadCommands(): Promise<void> {
    await host.userCommands.load();
    if (!command) return;
    offerCommands(command);
    host.redraw();
  }

  function offerCommands(query: CompletionQuery): void {
    const known = new Map(host.userCommands.all.map((each) => [each.name, each]));
    offer(query, bestFirst(query.query, [...known.keys()], String), known);
  }

  function loadFiles(query: CompletionQuery): void {
    const files = services.files(query.query).then((found) => {
      if (loading !== files) return;
      loading = null;
      offer(query, found.slice(0, maxOffered));
      host.redraw();
    }, close);
    loading = files;
  }

  function search(prompts: readonly string[], text: string): void {
    const wanted = text.toLowerCase();
    const found = prompts.filter((prompt) => prompt.toLowerCase().includes(wanted));
    const query = { kind: "history" as const, query: text, from: 0, to: text.length };
    const candidates = found.slice(0, maxFound);
    list = { query, candidates, at: 0, total: found.length };
  }

  function pressList(chord: string, edit: EditPrompt): boolean {
    if (!list) return false;
    const shown = list;
    const { candidates, at, query } = shown;
    const count = candidates.length;
    const isComplete = query.kind === "file" || candidates[at] === query.query;
    if (count === 0 && chord !== "escape") return false;
    if (chord === "up") list = { ...shown, at: (at - 1 + count) % count };
    else if (chord === "down") list = { ...shown, at: (at + 1) % count };
    else if (chord === "escape") close();
    else if (chord === "tab" || (chord === "enter" && !isComplete)) {
      edit((editor) => accepted(editor, shown));
      close();
    } else return false;
    return true;
  }

  function offer(
    query: CompletionQuery,
    candidates: readonly string[],
    known?: CompletionList["commands"],
  ): void {
    const total = candidates.length;
    const at = Math.min(list?.at ?? 0, total - 1);
    list = total === 0 ? null : { query, candidates, at, total, commands: known };
  }

  return {
    close,
    get list(): CompletionList | null {
      return list;
    },
    /** The text or the cursor changed. */
    update({ text, cursor }: Editor): void {
      if (earlier) return search(earlier, text);
      const query = queryAt(text, cursor);
      if (!query) return close();
      if (query.kind !== "command") return loadFiles(query);
      loading = null;
      if (command === null) void loadCommands();
      command = query;
      offerCommands(query);
    },
    /** Offers earlier prompts that contain the text; called again, it selects the next older one. */
    async searchHistory(text: string): Promise<void> {
      if (earlier && list) {
        const last = Math.max(0, list.candidates.length - 1);
        list = { ...list, at: Math.min(list.at + 1, last) };
      } else {
        const prompts = await services.loadHistory();
        if (prompts.length === 0) return host.flash("There are no earlier prompts yet.");
        earlier = [...new Set(prompts.toReversed())];
        search(earlier, text);
      }
    },
    /** Returns a promise if the key waits for candidates; later keys must wait for it. */
    press(chord: string, edit: EditPrompt): boolean | Promise<void> {
      if (loading && ["up", "down", "tab"].includes(chord))
        return loading.then(() => void pressList(chord, edit));
      return pressList(chord, edit);
    },
  };
}

function accepted(editor: Editor, { query, candidates, at }: CompletionList): Editor {
  const chosen = candidates[at] ?? "";
  if (query.kind === "history") return replaceAll(editor, chosen);
  const sign = query.kind === "file" ? "@" : "/";
  return replaceRange(editor, query.from, query.to, `${sign}${chosen} `);
}

function queryAt(text: string, cursor: number): CompletionQuery | null {
  const before = text.slice(0, cursor);
  const command = /^\/([\w:-]*)$/.exec(before);
  if (command) return { kind: "command", query: command[1] ?? "", from: 0, to: cursor };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (!file) return null;
  const query = file[1] ?? "";
  return { kind: "file", query, from: cursor - query.length - 1, to: cursor };
}
