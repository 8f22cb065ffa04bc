/** Completions at the cursor: a file after `@`, a command after `/`, or an earlier prompt. */

import type { Host } from "../host.ts";
import { replaceAll, replaceRange, type Editor } from "./editor.ts";

/** The word to complete. */
type CompletionQuery = {
  kind: "file" | "command" | "history";
  query: string;
  /** Its range in the text. */
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
  /** What commands do, by name. */
  help?: ReadonlyMap<string, string> | undefined;
};

type Edit = (edit: (editor: Editor) => Editor) => void;

/** Most files offered. */
const maxOffered = 10;

/** Most earlier prompts that a search lists. */
const maxFound = 100;

export class Completion {
  readonly #host: Host;
  #list: CompletionList | null = null;
  /** Set while candidates are being loaded. */
  #loading: Promise<void> | null = null;
  /** The command being typed. */
  #command: CompletionQuery | null = null;
  /** Earlier prompts, newest first, while they are searched. */
  #earlier: readonly string[] | null = null;

  constructor(host: Host) {
    this.#host = host;
  }

  get list(): CompletionList | null {
    return this.#list;
  }

  close(): void {
    this.#list = null;
    this.#loading = null;
    this.#earlier = null;
    this.#command = null;
  }

  /** The text or the cursor changed. */
  update({ text, cursor }: Editor): void {
    if (this.#earlier) return this.#search(this.#earlier, text);
    const query = queryAt(text, cursor);
    if (!query) return this.close();
    if (query.kind === "command") {
      this.#loading = null;
      if (this.#command === null) void this.#loadCommands();
      this.#command = query;
      return this.#offerCommands(query);
    }
    const loading: Promise<void> = this.#host.options.services.files(query.query).then(
      (files) => {
        if (this.#loading !== loading) return;
        this.#loading = null;
        this.#offer(query, files.slice(0, maxOffered));
        this.#host.redraw();
      },
      () => this.close(),
    );
    this.#loading = loading;
  }

  /** Reads the commands of the user and the project once, when the menu opens. */
  async #loadCommands(): Promise<void> {
    await this.#host.userCommands.load();
    if (!this.#command) return;
    this.#offerCommands(this.#command);
    this.#host.redraw();
  }

  #offerCommands(query: CompletionQuery): void {
    const { help } = this.#host.userCommands;
    this.#offer(query, namesLike(query.query, [...help.keys()]), help);
  }

  /**
   * Offers earlier prompts that contain the text, as it is typed. Called again, it selects the next
   * older one.
   */
  async searchHistory(text: string): Promise<void> {
    if (this.#earlier && this.#list) {
      const { at, candidates } = this.#list;
      this.#list = { ...this.#list, at: Math.min(at + 1, Math.max(0, candidates.length - 1)) };
    } else {
      const prompts = await this.#host.options.services.loadHistory();
      if (prompts.length === 0) return this.#host.flash("There are no earlier prompts yet.");
      this.#earlier = [...new Set(prompts.toReversed())];
      this.#search(this.#earlier, text);
    }
  }

  #search(earlier: readonly string[], text: string): void {
    const wanted = text.toLowerCase();
    const found = earlier.filter((one) => one.toLowerCase().includes(wanted));
    const query = { kind: "history" as const, query: text, from: 0, to: text.length };
    const candidates = found.slice(0, maxFound);
    this.#list = { query, candidates, at: 0, total: found.length };
  }

  /** Returns a promise if the key waits for candidates; later keys must wait for it. */
  press(chord: string, edit: Edit): boolean | Promise<void> {
    const isOwn = ["up", "down", "tab"].includes(chord);
    if (isOwn && this.#loading) return this.#loading.then(() => void this.#press(chord, edit));
    return this.#press(chord, edit);
  }

  #press(chord: string, edit: Edit): boolean {
    const list = this.#list;
    if (!list) return false;
    const { candidates, at, query } = list;
    const count = candidates.length;
    const isComplete = query.kind === "file" || candidates[at] === query.query;
    if (count === 0 && chord !== "escape") return false;
    if (chord === "up") this.#list = { ...list, at: (at - 1 + count) % count };
    else if (chord === "down") this.#list = { ...list, at: (at + 1) % count };
    else if (chord === "escape") this.close();
    else if (chord === "tab" || (chord === "enter" && !isComplete)) {
      edit((editor) => accepted(editor, list));
      this.close();
    } else return false;
    return true;
  }

  #offer(query: CompletionQuery, candidates: readonly string[], help?: CompletionList["help"]) {
    const total = candidates.length;
    const at = Math.min(this.#list?.at ?? 0, total - 1);
    this.#list = total === 0 ? null : { query, candidates, at, total, help };
  }
}

function accepted(editor: Editor, { query, candidates, at }: CompletionList): Editor {
  const chosen = candidates[at] ?? "";
  if (query.kind === "history") return replaceAll(editor, chosen);
  const sign = query.kind === "file" ? "@" : "/";
  return replaceRange(editor, query.from, query.to, `${sign}${chosen} `);
}

/** Names that start with the query, then those that contain its letters in order. */
function namesLike(query: string, names: readonly string[]): string[] {
  const letters = new RegExp([...query].map(RegExp.escape).join(".*"));
  const begins = names.filter((name) => name.startsWith(query));
  return [...begins, ...names.filter((name) => !begins.includes(name) && letters.test(name))];
}

/** The word to complete at the cursor; null if there is none. */
function queryAt(text: string, cursor: number): CompletionQuery | null {
  const before = text.slice(0, cursor);
  const command = /^\/([\w:-]*)$/.exec(before);
  if (command) return { kind: "command", query: command[1] ?? "", from: 0, to: cursor };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (!file) return null;
  const query = file[1] ?? "";
  return { kind: "file", query, from: cursor - query.length - 1, to: cursor };
}
