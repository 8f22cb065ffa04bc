/** The screen as its parts: what each of them holds, and what they may ask of it. `layout.ts` reads them. */

import type { KeyMap } from "../config/keys.ts";
import type { Forecast } from "../context/forecast.ts";
import type { MeterReading, View } from "../context/types.ts";
import type { ImageBlock } from "../protocol/block.ts";
import { messageOf } from "../base/in-words.ts";
import type { ModelRules } from "../protocol/model.ts";
import { betweenFrames } from "./between-frames.ts";
import { commands, submit } from "./commands.ts";
import type { FieldModel } from "./field.ts";
import type { Host } from "./host.ts";
import { keyRouter } from "./key-router.ts";
import type { InputEvent } from "./keys.ts";
import { liveSettings } from "./live-settings.ts";
import { Memo } from "./memo.ts";
import { overlay } from "./overlay.ts";
import { nextTick, pacer } from "./pacer.ts";
import { coldCacheNotice } from "./prompt/cold-cache-notice.ts";
import { promptModel } from "./prompt/prompt-model.ts";
import { screenKeys } from "./screen-keys.ts";
import { dragging, Selection } from "./selection.ts";
import { FolderFacts } from "./start/folder-facts.ts";
import type { ScreenState } from "./state.ts";
import type { Store } from "./store.ts";
import type { FieldKeys } from "./terminal/field-keys.ts";
import { makeTheme, type Theme, type ThemeName } from "./theme.ts";
import { TranscriptModel } from "./transcript/transcript-model.ts";
import type { Next, ScreenOptions, Send } from "./types.ts";
import { userCommands, type UserCommands } from "./user-commands.ts";

type ScreenParts = {
  options: ScreenOptions;
  store: Store;
  theme: Theme;
  keys: KeyMap;
  fields: FieldKeys;
  leave(code: number, next?: Next): void;
  toggleMouse(): boolean | null;
  draw(): void;
  /** Clears the screen and draws it again. */
  repaint(): void;
  /** Writes a code to the terminal. */
  write(code: string): void;
  suspend(work: () => Promise<void>): Promise<void>;
};

/** How long a message stays above the prompt. */
const flashMs = 5_000;

/** Time between two frames while the agent works: short enough for text to appear to flow. */
const frameMs = 80;

export class Screen implements Host {
  readonly keys: KeyMap;
  readonly options: ScreenOptions;
  readonly send: Send;
  readonly dispatch: Host["dispatch"];
  readonly redraw: () => void;
  readonly prompt: ReturnType<typeof promptModel>;
  readonly transcript: TranscriptModel;
  readonly #isTyping = (): boolean => this.prompt.editor.text !== "";
  readonly overlay = overlay(this, this.#isTyping);
  readonly coldCache = coldCacheNotice(this);
  /** What the meter says comes next. */
  readonly forecasts = betweenFrames<Forecast>(this);
  readonly selection: Selection;
  readonly folder: FolderFacts;
  readonly settings: ReturnType<typeof liveSettings>;
  readonly store: Store;
  readonly userCommands: UserCommands;
  /** What was said to a screen reader; empty without one. */
  spoken: readonly string[] = [];
  readonly #parts: ScreenParts;
  readonly #pacer = pacer(frameMs, () => this.#draw());
  readonly #drag: ReturnType<typeof dragging>;
  readonly #route: ReturnType<typeof keyRouter>;
  #calm = { second: 0, liveChars: 0 };
  readonly #chosenTheme = new Memo<Theme>();
  readonly #unsubscribe: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: ScreenParts) {
    const { options, store, keys, toggleMouse, repaint } = parts;
    this.#parts = parts;
    this.options = options;
    this.store = store;
    this.keys = keys;
    this.send = options.send;
    this.dispatch = store.dispatch;
    this.redraw = store.changed;
    this.userCommands = userCommands(options.services, commands);
    this.prompt = promptModel(this, this.#submit);
    this.transcript = new TranscriptModel(this);
    this.selection = new Selection((from, to) =>
      this.transcript.between(from, to).map(({ text, ...place }) => ({ place, text })),
    );
    this.#drag = dragging(this, this.selection, this.transcript);
    this.folder = new FolderFacts(options.services, this.redraw);
    const global = screenKeys({ host: this, isTyping: this.#isTyping, toggleMouse, repaint });
    this.#route = keyRouter(this, global, this.#drag);
    this.settings = liveSettings(this);
    this.#unsubscribe = store.subscribe(() => {
      this.settings.applyWaiting();
      this.#pacer.request();
    });
    this.#schedule();
  }

  get state(): ScreenState {
    return this.store.getState();
  }

  get rules(): ModelRules {
    return this.store.rules;
  }

  /**
   * The state, with the length of the streamed answer updated once a second: a number that changed
   * with every token would cost more bytes than the token.
   */
  get calmState(): ScreenState {
    const { state } = this;
    const second = Math.floor(this.nowMs / 1_000);
    if (second !== this.#calm.second || state.liveChars < this.#calm.liveChars)
      this.#calm = { second, liveChars: state.liveChars };
    return { ...state, liveChars: this.#calm.liveChars };
  }

  get view(): View {
    return this.store.view;
  }

  get reading(): MeterReading {
    return this.store.reading;
  }

  get nowMs(): number {
    return this.store.nowMs;
  }

  get theme(): Theme {
    const { theme: chosen } = this.state;
    const { theme } = this.#parts;
    return chosen === null
      ? theme
      : this.#chosenTheme.get([chosen], () => makeTheme(chosen, theme.colors));
  }

  /** Handles input events in their order. */
  readonly press = (...events: readonly InputEvent[]): void => {
    // Anything but typing may need the whole session.
    if (!events.every((event) => event.type === "key" && event.text !== "")) this.store.complete();
    this.forecasts.postpone();
    this.coldCache.postpone();
    this.#route(...events);
    this.#pacer.draw();
  };

  readonly flash = (text: string): void =>
    this.dispatch({ type: "flash", text, untilMs: this.nowMs + flashMs });

  readonly report = (error: unknown): void => this.flash(messageOf(error));

  readonly setPrompt = (text: string): void => {
    const { text: draft } = this.prompt.editor;
    this.prompt.setText(draft === "" ? text : `${text}\n${draft}`);
  };

  readonly typeInto = (field: FieldModel, event: InputEvent): false | Promise<void> =>
    this.#parts.fields.type(field, event);

  speak(lines: readonly string[]): void {
    if (lines.length > 0) this.spoken = [...this.spoken, ...lines];
  }

  readonly exit = (): void => this.#parts.leave(0);

  readonly open = (next: Next): void => {
    const { phase, asks } = this.state;
    if (phase === "idle" && asks.length === 0) this.#parts.leave(0, next);
    else this.flash("The agent is working. Press Esc to stop it first.");
  };

  readonly suspend = (work: () => Promise<void>): Promise<void> =>
    this.#parts.suspend(work).catch(this.report);

  readonly copy = (text: string): void =>
    this.#parts.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);

  readonly chooseTheme = (theme: ThemeName): void => {
    this.dispatch({ type: "theme", theme });
    this.options.services.saveSetting("theme", theme).catch(this.report);
  };

  readonly toggleVim = (): boolean => {
    const isOn = this.prompt.vim.toggle();
    this.redraw();
    return isOn;
  };

  /** Stops drawing; events may still come. */
  stop(): void {
    this.#unsubscribe();
    this.#drag.clear();
    clearTimeout(this.#timer);
    this.forecasts.stop();
    this.coldCache.stop();
    this.#pacer.stop();
  }

  readonly #submit = (text: string, images: readonly ImageBlock[]): void => {
    this.transcript.follow();
    submit(this, text, images);
  };

  #draw(): void {
    this.#schedule();
    this.#parts.draw();
  }

  /** Draws again when time alone changes the screen. */
  #schedule(): void {
    clearTimeout(this.#timer);
    const { nowMs } = this;
    const untilTick = nextTick(this.state, this.reading, nowMs);
    const answersAtMs = this.overlay.question?.answersAtMs ?? null;
    const untilAnswer = answersAtMs === null ? null : Math.max(1, answersAtMs - nowMs);
    const waits = [untilTick, untilAnswer].filter((ms) => ms !== null);
    if (waits.length === 0) return;
    this.#timer = setTimeout(
      () => {
        this.dispatch({ type: "tick", nowMs: this.nowMs });
        this.redraw();
      },
      Math.min(...waits),
    );
  }
}
