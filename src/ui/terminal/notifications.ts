/** The terminal's title, and notifications for a user who is elsewhere. */

import { takeStart } from "../../base/clip.ts";
import type { Settings } from "../../config/settings.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { ScreenState } from "../state.ts";

const saveTitle = "\x1b[22;0t";
const restoreTitle = "\x1b[23;0t";

/** Codes that notify the user. Terminals that support OSC 9 or 777 show the text. */
const noticeCodes: Record<Settings["notifyBy"], (clean: string) => string> = {
  bell: () => "\x07",
  osc9: (clean) => `\x1b]9;${clean}\x07`,
  osc777: (clean) => `\x1b]777;notify;mini-claude;${clean}\x07`,
};

const longestTitle = 80;

const longWorkMs = 10_000;

/** The code that sets the tab title; sanitized, so that the title cannot end the code early. */
const titleCode = (title: string): string =>
  `\x1b]0;${takeStart(sanitizeLine(title), longestTitle)}\x07`;

/** "● the title" while the agent works, "? the title" while it waits for an answer. */
function makeTitle(state: ScreenState, folder: string): string {
  const sign = state.asks.length > 0 ? "? " : state.phase === "idle" ? "" : "● ";
  return `${sign}${state.title ?? folder} · mini-claude`;
}

type NotifierOptions = {
  folder: string;
  by: Settings["notifyBy"];
  /** The terminal has focus, so notifications are unnecessary. */
  isWatched(): boolean;
  write(code: string): void;
  now(): number;
};

/** Keeps the title up to date, and notifies the user of questions and of the end of long work. */
export function notifier({ folder, by, isWatched, write, now }: NotifierOptions) {
  let shown = "";
  let askId: string | undefined;
  let busySinceMs: number | null = null;
  const ring = (words: string): void => {
    const clean = takeStart(sanitizeLine(words).replaceAll(";", ","), longestTitle);
    if (!isWatched()) write(noticeCodes[by](clean));
  };
  write(saveTitle);
  return {
    stop: () => write(restoreTitle),
    update(state: ScreenState): void {
      const title = makeTitle(state, folder);
      if (title !== shown) write(titleCode(title));
      shown = title;
      const [ask] = state.asks;
      if (ask && ask.id !== askId) ring(`asks: ${ask.title}`);
      askId = ask?.id;
      const since = busySinceMs;
      if (since !== null && state.busySinceMs === null && now() - since >= longWorkMs)
        ring(`${title} is done`);
      busySinceMs = state.busySinceMs;
    },
  };
}
