/** Decides which part of the screen gets a key, and hands out keys strictly one after the other. */

import type { KeyMap } from "../config/keys.ts";
import { chordOf, type InputEvent } from "./keys.ts";
import type { overlay } from "./overlay.ts";
import type { coldCacheNotice } from "./prompt/cold-cache-notice.ts";
import type { promptModel } from "./prompt/prompt-model.ts";
import type { screenKeys } from "./screen-keys.ts";
import type { dragging } from "./selection.ts";
import type { ScreenState } from "./state.ts";
import type { TranscriptModel } from "./transcript/transcript-model.ts";

type RouterParts = {
  readonly state: ScreenState;
  readonly keys: KeyMap;
  readonly overlay: ReturnType<typeof overlay>;
  readonly transcript: TranscriptModel;
  readonly prompt: ReturnType<typeof promptModel>;
  readonly coldCache: ReturnType<typeof coldCacheNotice>;
  readonly redraw: () => void;
};

/** True: the event was handled. A promise: it was, and later events wait for it. */
type Taker = (event: InputEvent) => boolean | Promise<void>;

/** Returns a function that takes events in their order. */
export function keyRouter(
  parts: RouterParts,
  global: ReturnType<typeof screenKeys>,
  drag: ReturnType<typeof dragging>,
): (...events: readonly InputEvent[]) => void {
  const { overlay: shown, transcript, prompt, coldCache, keys } = parts;
  const waiting: InputEvent[] = [];
  let isBusy = false;

  const popup: Taker = (event) => coldCache.press(chordOf(event)) || prompt.pressPopup(event);
  const screen: Taker = (event) => global.press(chordOf(event)) || transcript.press(event);
  // A message that the first Ctrl-C put back into the prompt does not keep the second from quitting.
  const typing: Taker = (event) => !global.quits(chordOf(event)) && prompt.press(event);
  const exit: Taker = (event) =>
    global.pressExit(chordOf(event)) || transcript.pressLast(chordOf(event));

  /** The parts that are offered an event, in order, until one takes it. */
  function takers(): readonly Taker[] {
    const { question } = shown;
    if (question) {
      const answer: Taker = (event) => question.press(event);
      // Until it takes answers, keys go to the prompt.
      return question.isAnswering ? [answer, typing, exit] : [answer, popup, typing, exit];
    }
    if (shown.panel) return [pressPanel, typing, exit];
    if (transcript.search.isTyping)
      return [(event) => transcript.search.press(event), screen, exit];
    if (parts.state.focus === "transcript")
      return [(event) => transcript.pressFocused(event), screen, typing, exit];
    return [popup, screen, typing, exit];
  }

  /** A panel gets the keys that it uses; anything else that is typed goes to the prompt. */
  function pressPanel(event: InputEvent): boolean | Promise<void> {
    const { panel, origin } = shown;
    if (event.type === "mouse") {
      const { row, column } = event;
      void panel?.press({ ...event, row: row - origin.row, column: column - origin.column });
      return true;
    }
    const used = panel?.press(event) ?? false;
    if (used !== false) return used;
    if (event.type === "paste" || event.text !== "") return false;
    if (keys.actionOf(event.chord) === "exit") return false;
    return global.pressInPanel(event.chord) || prompt.editor.text === "";
  }

  function give(event: InputEvent): void | Promise<void> {
    for (const offer of takers()) {
      const used = offer(event);
      if (used instanceof Promise) return used;
      if (used) return;
    }
  }

  function route(event: InputEvent): void | Promise<void> {
    if (event.type !== "mouse") drag.clear();
    else if (event.action === "press" || event.action === "drag" || event.action === "release")
      return drag.take(event) ? give({ ...event, action: "press" }) : undefined;
    return give(event);
  }

  function drain(): void {
    for (let event = waiting.shift(); event; event = waiting.shift()) {
      const pending = route(event);
      if (pending === undefined) continue;
      isBusy = true;
      void pending.finally(() => {
        isBusy = false;
        drain();
        parts.redraw();
      });
      return;
    }
  }

  return (...events) => {
    waiting.push(...events);
    if (!isBusy) drain();
  };
}
