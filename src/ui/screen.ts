/** The screen as its parts: what they hold, what they may ask of it, and when it is drawn. */

import type { MeterReading } from "../context/types.ts";
import type { ScreenState } from "./state.ts";
import type { Forecast } from "../context/forecast.ts";
import type { ImageBlock } from "../protocol/block.ts";
import { betweenFrames, Memo } from "./memo.ts";
import { submit } from "./commands.ts";
import { Host, type HostParts } from "./host.ts";
import { keyRouter } from "./key-router.ts";
import type { Budget } from "./budget.ts";
import type { InputEvent } from "./keys.ts";
import { forecastFor } from "./components/meter/live.ts";
import { statusLine } from "./components/meter/status-line.ts";
import { overlay } from "./overlay.ts";
import { promptModel } from "./prompt/prompt-model.ts";
import { coldCacheNotice } from "./cold-cache.ts";
import { Selection } from "./selection.ts";
import { TranscriptModel } from "./transcript/transcript-model.ts";

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

/** `draw` draws the newest frame. */
type ScreenParts = HostParts & { draw(): void };

/** Time between two frames while the agent works: short enough for text to appear to flow. */
const frameMs = 80;

export class Screen extends Host {
  readonly prompt: ReturnType<typeof promptModel>;
  readonly transcript: TranscriptModel;
  readonly overlay = overlay(this, () => this.prompt.editor.text !== "");
  readonly coldCache = coldCacheNotice(this);
  readonly forecasts = betweenFrames<Forecast>(this);
  readonly budget = new Memo<Budget>();
  readonly status = statusLine(this);
  readonly selection: Selection;
  spoken: readonly string[] = [];
  readonly #drawFrame: () => void;
  readonly #pacer = pacer(frameMs, () => this.#draw());
  readonly #route: ReturnType<typeof keyRouter>;
  #calm = { second: 0, liveChars: 0 };
  readonly #calmState = new Memo<ScreenState>();
  readonly #unsubscribe: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: ScreenParts) {
    super(parts);
    this.#drawFrame = parts.draw;
    this.prompt = promptModel(this, this.#submit);
    this.transcript = new TranscriptModel(this);
    this.selection = new Selection(this, this.transcript);
    this.#route = keyRouter(this);
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

  readonly press = (...events: readonly InputEvent[]): void => {
    this.forecasts.postpone();
    this.coldCache.postpone();
    this.#route(...events);
    this.revision++;
    this.#pacer.draw();
  };

  get nextCutTokens(): number | null {
    return forecastFor(this).bySize?.atTokens ?? null;
  }

  readonly setPrompt = (text: string): void => {
    const { text: draft } = this.prompt.editor;
    this.prompt.setText(draft === "" ? text : `${text}\n${draft}`);
  };

  speak(lines: readonly string[]): void {
    if (lines.length > 0) this.spoken = [...this.spoken, ...lines];
  }

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

  readonly #submit = (text: string, images: readonly ImageBlock[]): void | Promise<void> => {
    this.transcript.follow();
    return submit(this, text, images);
  };

  #draw(): void {
    this.#schedule();
    this.#drawFrame();
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
        this.revision++;
        // At once: the next key would have to draw what only the clock changes as well.
        this.#pacer.draw();
      },
      Math.min(...waits),
    );
  }
}
