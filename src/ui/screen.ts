/** Assembles the screen from its parts. */

import type { Forecast } from "../context/forecast.ts";
import { buildKeyMap } from "../config/keys.ts";
import { makeActions, type ScreenTerminal } from "./actions.ts";
import type { Budget } from "./budget.ts";
import { coldCacheNotice } from "./cold-cache.ts";
import { submit } from "./commands.ts";
import { statusLine } from "./components/meter/status-line.ts";
import { FolderFacts } from "./folder-facts.ts";
import { KeyHandlers } from "./use-keys.ts";
import { keyRouter } from "./key-router.ts";
import type { InputEvent } from "./keys.ts";
import { liveSettings } from "./live-settings.ts";
import { betweenFrames, Memo } from "./memo.ts";
import { overlay } from "./overlay.ts";
import { promptModel } from "./prompt/prompt-model.ts";
import { Selection } from "./selection.ts";
import type { Shared } from "./shared.ts";
import { Store } from "./store.ts";
import { nextTick, pacer } from "./timers.ts";
import { TranscriptModel } from "./transcript/transcript-model.ts";
import type { Next, ScreenOptions } from "./types.ts";

export type ScreenParts = {
  options: ScreenOptions;
  panels: Shared["panels"];
  terminal: ScreenTerminal;
  /** Draws the newest frame. */
  draw(): void;
  /** Commits pending React updates; the next frame shows them. */
  commit(): void;
  leave(code: number, next?: Next): void;
};

/** Frame interval while the agent works; short enough for text to flow smoothly. */
const frameMs = 80;

export type Screen = ReturnType<typeof makeScreen>;

export function makeScreen({ options, panels, terminal, draw, commit, leave }: ScreenParts) {
  const { services, send } = options;
  const store = new Store(options, () => terminal.theme);
  /** The user has left: further input becomes the draft of the next screen. */
  let hasLeft = false;
  let spoken: readonly string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function setPrompt(text: string): void {
    const { text: draft } = prompt.editor;
    prompt.setText(draft === "" ? text : `${text}\n${draft}`);
  }

  function press(...events: readonly InputEvent[]): void {
    forecasts.postpone();
    route(...events);
    store.revision++;
    frames.draw();
  }

  function toggleVim(): boolean {
    const isOn = prompt.vim.toggle();
    store.redraw();
    return isOn;
  }

  const actions = makeActions(store, services, {
    send,
    press,
    setPrompt,
    toggleVim,
    terminal,
    leave(next) {
      hasLeft = true;
      leave(0, next);
    },
  });
  const shared: Shared = {
    store,
    actions,
    services,
    keys: buildKeyMap(options.settings.keys, terminal.prefix).keys,
    settings: liveSettings(options.settings, store, actions),
    session: options,
    folder: new FolderFacts(services, store.redraw),
    panels,
  };
  const transcript = new TranscriptModel(shared);
  const prompt = promptModel(shared, (text, images) => {
    transcript.follow();
    return submit(shared, text, images);
  });
  const coldCache = coldCacheNotice(shared);
  const selection = new Selection(shared, transcript);
  const forecasts = betweenFrames<Forecast>(store);
  const status = statusLine(shared);
  const shown = overlay(shared, () => prompt.editor.text !== "");
  const keyHandlers = new KeyHandlers();
  const parts = { prompt, transcript, coldCache, selection, overlay: shown, keyHandlers };
  const route = keyRouter({ ...shared, ...parts, terminal, commit, hasLeft: () => hasLeft });
  const frames = pacer(frameMs, () => {
    schedule();
    draw();
  });
  const unsubscribe = store.subscribe(() => {
    shared.settings.applyWaiting();
    frames.request();
  });

  function schedule(): void {
    clearTimeout(timer);
    const answersAtMs = shown.question?.answersAtMs ?? null;
    const untilTick = nextTick(store.state, store.reading, store.nowMs, answersAtMs);
    if (untilTick === null) return;
    timer = setTimeout(() => {
      store.dispatch({ type: "tick", nowMs: store.nowMs });
      store.revision++;
      // Draw now, or the next key would also pay for the clock's changes.
      frames.draw();
    }, untilTick);
  }

  schedule();
  return {
    ...shared,
    ...parts,
    forecasts,
    status,
    budget: new Memo<Budget>(),
    /** Lines for screen readers. */
    get spoken(): readonly string[] {
      return spoken;
    },
    press,
    speak(lines: readonly string[]): void {
      if (lines.length > 0) spoken = [...spoken, ...lines];
    },
    /** Stops drawing; events may still arrive. */
    stop(): void {
      unsubscribe();
      selection.clear();
      clearTimeout(timer);
      forecasts.stop();
      status.stop();
      frames.stop();
    },
  };
}
