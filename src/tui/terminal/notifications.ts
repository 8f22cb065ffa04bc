/** The terminal's title, and notifications for a user who is elsewhere. */

import { takeStart } from "../../protocol/clip.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { ScreenState } from "../state.ts";

/** The terminal saves its own title on a stack. */
const saveTitle = "\x1b[22;0t";
const restoreTitle = "\x1b[23;0t";

type NotifyBy = "bell" | "osc9" | "osc777";

/** Codes that notify the user. Terminals that support OSC 9 or 777 show the text. */
const noticeCodes: Record<NotifyBy, (clean: string) => string> = {
  bell: () => "\x07",
  osc9: (clean) => `\x1b]9;${clean}\x07`,
  osc777: (clean) => `\x1b]777;notify;mini-claude;${clean}\x07`,
};

const longestTitle = 80;

/** Work that took at least this long ends with a notification. */
const longWorkMs = 10_000;

/** The code that sets the tab title; sanitized, so that the title cannot end the code early. */
const titleCode = (title: string): string =>
  `\x1b]0;${takeStart(sanitizeLine(title), longestTitle)}\x07`;

/** "● the title" while the agent works, "? the title" while it waits for an answer. */
function titleOf(state: ScreenState, folder: string): string {
  const sign = state.asks.length > 0 ? "? " : state.phase === "idle" ? "" : "● ";
  return `${sign}${state.title ?? folder} · mini-claude`;
}

type NotifierOptions = {
  folder: string;
  by: NotifyBy;
  /** The terminal has focus, so notifications are unnecessary. */
  isWatched(): boolean;
  write(code: string): void;
  now(): number;
};

/** Keeps the title up to date, and notifies the user of questions and of the end of long work. */
export class Notifier {
  readonly #options: NotifierOptions;
  #title = "";
  #askId: string | undefined;
  #busySinceMs: number | null = null;

  constructor(options: NotifierOptions) {
    this.#options = options;
    options.write(saveTitle);
  }

  stop(): void {
    this.#options.write(restoreTitle);
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
    const clean = takeStart(sanitizeLine(words).replaceAll(";", ","), longestTitle);
    if (!isWatched()) write(noticeCodes[by](clean));
  }
}
