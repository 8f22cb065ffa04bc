/** Takes over the terminal to draw frames and read keys; always restores it. */

import type { Settings } from "../config/settings.ts";
import { type InputEvent, press } from "./keys.ts";
import { lineInput } from "./spoken/narrate.ts";
import { plainSigns, readAbilities } from "./terminal/abilities.ts";
import {
  exitCodes,
  holdTerminal,
  terminalSize,
  watchForEnd,
  watchSize,
} from "./terminal/held-terminal.ts";
import type { InkOutput, InkScreen } from "./terminal/ink-screen.tsx";
import { Painter } from "./terminal/painter.ts";
import { backgroundRequest, terminalInput } from "./terminal/terminal-input.ts";
import { setBackground, setColorDepth, themeFor } from "./theme.ts";

/** Facts about the rows of a frame. */
type Drawing = {
  /** Height of the scrolling region at the top. */
  scrolling?: number;
  /** null: hidden. */
  cursor?: { x: number; y: number } | null;
};

type TerminalOptions = {
  settings: Settings;
  /** Called before the first frame. */
  openInk(output: InkOutput): InkScreen;
  /** Lays out a frame. */
  layout(size: { columns: number; rows: number }): Drawing;
  /** React rendered outside a frame; draw one. */
  changed?(): void;
  /** The rows as drawn. */
  mark?(rows: readonly string[]): readonly string[];
  take(events: readonly InputEvent[]): void;
  /** Handles an entered line on terminals without cursor movement. */
  takeLine?(events: readonly InputEvent[]): void;
  /** Exit signal or lost terminal. */
  leave(code: number): void;
  crash(error: unknown): void;
};

export function takeTerminal(options: TerminalOptions) {
  const { settings, layout, take, takeLine = take, leave, crash } = options;
  const { changed = () => undefined, mark = (rows) => rows } = options;
  const { stdin, stdout } = process;
  const abilities = readAbilities(process.env);
  const { colors, characters, movesCursor, hasMouse } = abilities;
  /** Line-based output: for screen readers and terminals without cursor movement. */
  const isSpoken = settings.screenReader || !movesCursor;
  setColorDepth(colors);
  let theme = themeFor(settings.theme, process.env, colors);
  // Terminals that do not report focus never count as watched.
  let isFocused = false;
  let isMouseOn = settings.mouse && hasMouse && !isSpoken;
  let isSuspended = false;
  let isReleased = false;

  const write = (code: string): void => void stdout.write(code);
  const toSigns = (text: string): string => plainSigns(text, characters);
  const writeText = (text: string): void => write(toSigns(text));
  const input = movesCursor
    ? terminalInput({
        stdin,
        write,
        take,
        focus: (focused) => void (isFocused = focused),
        answered: () => painter.answered(),
        background(isLight) {
          setBackground(isLight);
          theme = themeFor(settings.theme, process.env, colors);
          draw();
        },
        ended: () => leave(exitCodes.hungUp),
      })
    : lineInput({ stdin, take: takeLine, ended: () => leave(0) });
  input.setMouse(isMouseOn);
  let drawing: Drawing = {};
  /** A frame was published; React commits it in this tick. */
  let isDrawing = false;
  let isFlushing = false;
  const painter = new Painter(write, draw);
  const output: InkOutput = {
    present(rows) {
      if (!isDrawing) {
        if (!isFlushing) changed();
        return;
      }
      if (isSuspended) return;
      const shown = {
        rows: mark(rows).map(toSigns),
        scrolling: drawing.scrolling ?? 0,
        cursor: drawing.cursor ?? null,
      };
      painter.paint(shown, terminalSize().columns);
    },
    write: writeText,
    crash,
    isSpoken,
    isInteractive: movesCursor,
  };
  let ink: InkScreen | undefined;

  function draw(): void {
    if (isSuspended || painter.skips()) return;
    const size = terminalSize();
    drawing = layout(size);
    isDrawing = true;
    ink ??= options.openInk(output);
    ink.publish(size);
    // Runs after Ink's own handler, which draws the rows.
    queueMicrotask(() => (isDrawing = false));
  }

  function flush(): void {
    isFlushing = true;
    ink?.flush();
    isFlushing = false;
  }

  function repaint(): void {
    // Lent to another program; repainted on return.
    if (isSuspended) return;
    painter.forget();
    ink?.repaint();
    draw();
  }

  // Install the handlers before taking over the terminal.
  const stopWatching = watchForEnd({
    end: leave,
    crash,
    isAway: () => isSuspended,
    ...(movesCursor ? {} : { interrupted: () => take([press("ctrl+c", "")]) }),
  });
  const held = holdTerminal({ write, setRawMode: input.setRawMode, isAlternate: !isSpoken });
  if (!isSpoken && settings.theme === "auto" && abilities.tellsBackground) write(backgroundRequest);
  const stopWatchingSize = watchSize(repaint);
  input.setReports(true);

  return {
    isSpoken,
    movesCursor,
    prefix: abilities.prefix,
    write,
    writeText,
    draw,
    /** Commits React updates without drawing. */
    flush,
    repaint,
    get theme() {
      return theme;
    },
    get isFocused() {
      return isFocused;
    },
    /** Returns the new state; null: not supported here. */
    toggleMouse(): boolean | null {
      if (!hasMouse) return null;
      isMouseOn = !isMouseOn;
      input.setMouse(isMouseOn);
      return isMouseOn;
    },
    /** Lends the terminal to another program while `work` runs. */
    async suspend(work: () => Promise<void>): Promise<void> {
      if (isSuspended) return;
      isSuspended = true;
      await painter.quiet();
      input.setReports(false);
      try {
        await held.suspend(work);
      } finally {
        isSuspended = false;
        if (!isReleased) {
          input.setReports(true);
          repaint();
        }
      }
    },
    /** Stops drawing; the terminal stays guarded until the program exits. */
    isLast: false,
    async [Symbol.asyncDispose](): Promise<void> {
      stopWatchingSize();
      isReleased = true;
      if (!isSuspended) {
        isSuspended = true;
        await painter.quiet();
      }
      input.setReports(false);
      ink?.unmount();
      held.release();
      stopWatching(this.isLast);
      input.stop();
    },
  };
}
