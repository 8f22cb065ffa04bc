/** What a terminal shows besides its cells: a title for the tab, and a bell for a user elsewhere. */

import { sanitiseLine } from "../sanitise.ts";
import type { ScreenState } from "../state.ts";

/** The terminal keeps its own title on a stack meanwhile. */
export const saveTitle = "\x1b[22;0t";
export const restoreTitle = "\x1b[23;0t";

export type NotifyBy = "bell" | "osc9" | "osc777";

/** The code that calls the user. OSC 9 and 777 show the words in terminals that know them. */
export function noticeCode(by: NotifyBy, words: string): string {
  const clean = sanitiseLine(words).replaceAll(";", ",").slice(0, longestTitle);
  switch (by) {
    case "bell":
      return "\x07";
    case "osc9":
      return `\x1b]9;${clean}\x07`;
    case "osc777":
      return `\x1b]777;notify;mini-claude;${clean}\x07`;
    default:
      return by satisfies never;
  }
}

const longestTitle = 80;

/** The end of work that took this long is worth a bell. */
const longWorkMs = 10_000;

/** The code that sets the title of the tab; nothing in it can end the code early. */
export const titleCode = (title: string): string =>
  `\x1b]0;${sanitiseLine(title).slice(0, longestTitle)}\x07`;

/** "● the title" while the agent works, "? the title" while it waits for an answer. */
export function titleOf(state: ScreenState, folder: string): string {
  const sign = state.asks.length > 0 ? "? " : state.phase === "idle" ? "" : "● ";
  return `${sign}${state.title ?? folder} · mini-claude`;
}

type NotifierOptions = {
  folder: string;
  by: NotifyBy;
  /** The terminal's window is in front: the user need not be called. */
  isWatched(): boolean;
  write(code: string): void;
  now(): number;
};

/** Keeps the title up to date, and rings for a question and at the end of long work. */
export class Notifier {
  readonly #options: NotifierOptions;
  #title = "";
  #askId: string | undefined;
  #busySinceMs: number | null = null;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  update(state: ScreenState): void {
    const { folder, write, now } = this.#options;
    const title = titleOf(state, folder);
    if (title !== this.#title) write(titleCode(title));
    this.#title = title;
    const [ask] = state.asks;
    if (ask && ask.id !== this.#askId) this.#ring(`asks: ${ask.title}`);
    this.#askId = ask?.id;
    const since = this.#busySinceMs;
    if (since !== null && state.busySinceMs === null && now() - since >= longWorkMs)
      this.#ring(`${title} is done`);
    this.#busySinceMs = state.busySinceMs;
  }

  #ring(words: string): void {
    const { isWatched, by, write } = this.#options;
    if (!isWatched()) write(noticeCode(by, words));
  }
}
