/** What a terminal tells beside its cells: a title for the tab, a bell for a person elsewhere. */

import { useEffect, useEffectEvent, useRef } from "react";
import { sanitiseLine } from "../sanitise.ts";
import type { ScreenState } from "../state.ts";

/** The terminal keeps its own title on a stack meanwhile. */
export const saveTitle = "\x1b[22;0t";
export const restoreTitle = "\x1b[23;0t";

export type NotifyBy = "bell" | "osc9" | "osc777";

/** The code that tells a person who is elsewhere; OSC 9 and 777 show words where they are known. */
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

/** Work that took so long is worth a bell when it ends: nobody watches it. */
const longWorkMs = 10_000;

/** The code that sets the title of the tab; nothing in it can end the code early. */
export const titleCode = (title: string): string =>
  `\x1b]0;${sanitiseLine(title).slice(0, longestTitle)}\x07`;

/** "● the title" while the agent works, "? the title" while it waits for an answer. */
export function titleOf(state: ScreenState, folder: string): string {
  const sign = state.asks.length > 0 ? "? " : state.phase === "idle" ? "" : "● ";
  return `${sign}${state.title ?? folder} · mini-claude`;
}

type NotificationOptions = {
  state: ScreenState;
  folder: string;
  /** The person wants a title and a bell. */
  notifies: boolean;
  by: NotifyBy;
  /** The terminal says that its window is in front: nobody has to be called. */
  isWatched(): boolean;
  write(code: string): void;
};

/** Keeps the title, and rings when a person is asked or long work has ended. */
export function useNotifications({
  state,
  folder,
  notifies,
  by,
  isWatched,
  write,
}: NotificationOptions): void {
  const title = titleOf(state, folder);
  useEffect(() => {
    if (notifies) write(titleCode(title));
  }, [title, notifies, write]);

  const call = useEffectEvent((words: string): void => {
    if (notifies && !isWatched()) write(noticeCode(by, words));
  });

  const asked = state.asks[0]?.id;
  const askedFor = state.asks[0]?.title ?? "";
  useEffect(() => {
    if (asked !== undefined) call(`asks: ${askedFor}`);
  }, [asked, askedFor]);

  const since = useRef<number | null>(null);
  useEffect(() => {
    const began = since.current;
    since.current = state.busySinceMs;
    const ended = began !== null && state.busySinceMs === null;
    if (ended && Date.now() - began >= longWorkMs) call(`${title} is done`);
  }, [state.busySinceMs, title]);
}
