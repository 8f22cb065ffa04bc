/** The screen as its parts: what they hold, what they may ask of it, and when it is drawn. */

import type { MeterReading } from "../context/types.ts";
import type { ScreenState } from "./state.ts";
import type { KeyMap } from "../config/keys.ts";
import type { Forecast } from "../context/forecast.ts";
import type { ImageBlock } from "../protocol/block.ts";
import { errorMessage } from "../base/in-words.ts";
import { betweenFrames, Memo } from "./memo.ts";
import { submit, userCommands } from "./commands.ts";
import type { FieldModel } from "./field.ts";
import type { Host, UserCommands } from "./host.ts";
import { keyRouter, type RouterTerminal } from "./key-router.ts";
import type { Chrome } from "./frame.ts";
import type { InputEvent } from "./keys.ts";
import { statusLine } from "./meter/status-line.ts";
import { overlay } from "./overlay.ts";
import { promptModel } from "./prompt/prompt-model.ts";
import { coldCacheNotice } from "./cold-cache.ts";
import { Selection } from "./selection.ts";
import { FolderFacts } from "./folder-facts.ts";
import { Store } from "./store.ts";
import { makeTheme, type Theme, type ThemeName, themeNames } from "./theme.ts";
import { TranscriptModel } from "./transcript/transcript-model.ts";
import type { Next, Panel, ScreenOptions, Send, Services } from "./types.ts";
import type { Settings } from "../config/settings.ts";

/** Draws immediately for keys, otherwise at most every `intervalMs`. */
function pacer(intervalMs: number, onFrame: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let drawnMs = -Infinity;
  let isStopped = false;
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    drawnMs = performance.now();
    if (!isStopped) onFrame();
  };
  return {
    draw,
    request(): void {
      timer ??= setTimeout(draw, Math.max(0, drawnMs + intervalMs - performance.now()));
    },
    stop(): void {
      clearTimeout(timer);
      isStopped = true;
    },
  };
}

const second = 1_000;
const minute = 60 * second;

/** Milliseconds until the screen changes by time alone; null: it will not. Pure. */
function nextTick(
  state: ScreenState,
  { cache }: Pick<MeterReading, "cache">,
  nowMs: number,
): number | null {
  const times: number[] = [];
  if (state.phase !== "idle" || state.retry) times.push(nowMs + second - (nowMs % second));
  if (state.flash) times.push(state.flash.untilMs);
  if (cache.state === "hot" && cache.expiresAtMs !== null) {
    const left = cache.expiresAtMs - nowMs;
    times.push(nowMs + (left % minute || minute));
  }
  return times.length === 0 ? null : Math.max(1, Math.min(...times) - nowMs);
}

type ScreenParts = {
  options: ScreenOptions;
  keys: KeyMap;
  terminal: RouterTerminal & {
    readonly theme: Theme;
    type: Host["typeInto"];
    write(code: string): void;
    suspend(work: () => Promise<void>): Promise<void>;
  };
  draw(): void;
  leave(code: number, next?: Next): void;
};

const flashMs = 5_000;

/** Time between two frames while the agent works: short enough for text to appear to flow. */
const frameMs = 80;

export class Screen extends Store implements Host {
  readonly keys: KeyMap;
  readonly options: ScreenOptions;
  readonly services: Services;
  readonly send: Send;
  readonly prompt: ReturnType<typeof promptModel>;
  readonly transcript: TranscriptModel;
  readonly overlay = overlay(this, () => this.prompt.editor.text !== "");
  readonly coldCache = coldCacheNotice(this);
  readonly forecasts = betweenFrames<Forecast>(this);
  readonly chrome = new Memo<Chrome>();
  readonly status = statusLine(this);
  readonly selection: Selection;
  readonly folder: FolderFacts;
  readonly settings: ReturnType<typeof liveSettings>;
  readonly userCommands: UserCommands;
  spoken: readonly string[] = [];
  readonly #parts: ScreenParts;
  readonly #pacer = pacer(frameMs, () => this.#draw());
  readonly #route: ReturnType<typeof keyRouter>;
  #calm = { second: 0, liveChars: 0 };
  readonly #calmState = new Memo<ScreenState>();
  readonly #chosenTheme = new Memo<Theme>();
  readonly #unsubscribe: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: ScreenParts) {
    const { options, keys, terminal } = parts;
    super(options);
    this.#parts = parts;
    this.options = options;
    this.services = options.services;
    this.keys = keys;
    this.send = options.send;
    this.userCommands = userCommands(options.services);
    this.prompt = promptModel(this, this.#submit);
    this.transcript = new TranscriptModel(this);
    this.selection = new Selection(this, this.transcript);
    this.folder = new FolderFacts(options.services, this.redraw);
    this.#route = keyRouter(this, terminal);
    this.settings = liveSettings(this);
    this.#unsubscribe = this.subscribe(() => {
      this.settings.applyWaiting();
      this.#pacer.request();
    });
    this.#schedule();
  }

  /**
   * The state, with the length of the streamed answer updated once a second: a number that changed
   * with every token would cost more bytes than the token.
   */
  get throttledState(): ScreenState {
    const { state } = this;
    const second = Math.floor(this.nowMs / 1_000);
    if (second !== this.#calm.second || state.liveChars < this.#calm.liveChars)
      this.#calm = { second, liveChars: state.liveChars };
    const { liveChars } = this.#calm;
    return this.#calmState.get([state, liveChars], () => ({ ...state, liveChars }));
  }

  get theme(): Theme {
    const { theme: chosen } = this.state;
    const { theme } = this.#parts.terminal;
    return chosen === null
      ? theme
      : this.#chosenTheme.get([chosen], () => makeTheme(chosen, theme.colors));
  }

  readonly press = (...events: readonly InputEvent[]): void => {
    // Anything but typing may need the whole session.
    if (!events.every((event) => event.type === "key" && event.text !== "")) this.complete();
    this.forecasts.postpone();
    this.coldCache.postpone();
    this.#route(...events);
    this.revision++;
    this.#pacer.draw();
  };

  readonly show = (panel: Panel | null): void => this.dispatch({ type: "set", panel });

  readonly flash = (text: string): void =>
    this.dispatch({ type: "set", flash: { text, untilMs: this.nowMs + flashMs } });

  readonly report = (error: unknown): void => this.flash(errorMessage(error));

  readonly setPrompt = (text: string): void => {
    const { text: draft } = this.prompt.editor;
    this.prompt.setText(draft === "" ? text : `${text}\n${draft}`);
  };

  readonly typeInto = (field: FieldModel, event: InputEvent): boolean =>
    this.#parts.terminal.type(field, event);

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
    this.#parts.terminal.suspend(work).catch(this.report);

  readonly copy = (text: string): void => {
    this.#parts.terminal.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
    this.services.copyWithProgram(text);
  };

  readonly chooseTheme = (theme: ThemeName): void => {
    this.dispatch({ type: "set", theme });
    this.services.saveSetting("theme", theme).catch(this.report);
  };

  readonly toggleVim = (): boolean => {
    const isOn = this.prompt.vim.toggle();
    this.redraw();
    return isOn;
  };

  /** Stops drawing; events may still come. */
  stop(): void {
    this.#unsubscribe();
    this.selection.clear();
    clearTimeout(this.#timer);
    this.forecasts.stop();
    this.coldCache.stop();
    this.status.stop();
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

/** The settings as they are now, and how changes to them take effect. */
function liveSettings(host: Host) {
  let { settings: current } = host.options;
  /** Some change takes effect only when the session is reopened. */
  let isWaiting = false;

  function applyNow(id: string): boolean {
    const { send, dispatch, toggleVim } = host;
    const { permissionMode, effort, theme: wanted } = current;
    const theme = themeNames.find((name) => name === wanted);
    if (id === "permissionMode") send({ type: "mode", mode: permissionMode });
    else if (id === "effort") send({ type: "effort", effort: effort ?? null });
    else if (id === "vim") toggleVim();
    else if (id === "theme" && theme) dispatch({ type: "set", theme });
    else return false;
    return true;
  }

  /** Reopens the session if a change is waiting for that and nothing is running, asking or queued. */
  function applyWaiting(): void {
    if (!isWaiting || !isIdle(host.state)) return;
    isWaiting = false;
    host.open({ kind: "settings", settings: kept() });
  }

  /** The settings, with what the user switched by key or command since, such as the mode. */
  function kept(): Settings {
    const { state, options } = host;
    const isSame = (name: keyof Settings): boolean => current[name] === options.settings[name];
    return {
      ...current,
      ...(isSame("permissionMode") ? { permissionMode: state.mode } : {}),
      ...(isSame("theme") && state.theme !== null ? { theme: state.theme } : {}),
      ...(isSame("model") && state.model !== "offline" ? { model: state.model } : {}),
    };
  }

  return {
    get current(): Settings {
      return current;
    },
    change(settings: Settings, changed: readonly string[]): string[] {
      current = settings;
      const later = changed.filter((id) => !applyNow(id));
      isWaiting ||= later.length > 0;
      applyWaiting();
      return later;
    },
    applyWaiting,
  };
}

const isIdle = ({ phase, asks, queue }: ScreenState): boolean =>
  phase === "idle" && asks.length === 0 && queue.length === 0;
