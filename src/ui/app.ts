/** The screen from start to end: it takes the terminal over, and always gives it back. */

import { basename } from "node:path";
import type { AgentEvent } from "../protocol/event.ts";
import { buildKeyMap } from "../config/keys.ts";
import { toError } from "../base/guards.ts";
import { Screen } from "./screen.ts";
import type { Frame } from "./frame.ts";
import { layoutScreen } from "./layout.ts";
import { type InputEvent, press } from "./keys.ts";
import { sanitize } from "./sanitize.ts";
import { screenStore } from "./store.ts";
import { plainSigns, readAbilities } from "./terminal/abilities.ts";
import { greet, isQuestion, lineInput, narrate, speakChanges } from "./spoken/narrate.ts";
import {
  exitCodes,
  holdTerminal,
  terminalSize,
  watchForEnd,
  watchSize,
} from "./terminal/held-terminal.ts";
import { flowControl } from "./terminal/flow.ts";
import { inkScreen } from "./terminal/ink-screen.tsx";
import { notifier } from "./terminal/notifications.ts";
import { Painter } from "./terminal/painter.ts";
import { backgroundRequest, terminalInput } from "./terminal/terminal-input.ts";
import { setBackground, setColorDepth, type Theme, themeFor } from "./theme.ts";
import type { Next, ScreenOptions, ScreenResult } from "./types.ts";

/** The least size for which the lines of a screen reader are laid out. */
const minSpoken = { columns: 40, rows: 20 };

function collectClosingLines({ state, transcript, options }: Screen): string[] {
  const { printOnExit } = options.settings;
  if (printOnExit === "nothing" || state.path.length === 0) return [];
  if (printOnExit === "answer")
    return state.lastAnswer === "" ? [] : [...sanitize(state.lastAnswer).split("\n"), ""];
  return [...transcript.lastLines(terminalSize().columns), ""];
}

/**
 * Runs until the user quits or the terminal is gone. Throws uncaught errors, terminal restored.
 * `readsTree`: see `inkScreen`.
 */
export async function runScreen(options: ScreenOptions, readsTree = true): Promise<ScreenResult> {
  const { settings, events } = options;
  const abilities = readAbilities(process.env);
  const { colors, characters, movesCursor, prefix, hasMouse } = abilities;
  /** Lines that are written once: for screen readers, and where nothing can be drawn twice. */
  const isSpoken = settings.screenReader || !movesCursor;
  setColorDepth(colors);
  const store = screenStore(options);
  const { keys, problems } = buildKeyMap(settings.keys, prefix);
  for (const text of [...options.notices, ...problems]) store.dispatch({ type: "notice", text });
  if (options.panel) store.dispatch({ type: "set", panel: options.panel });

  const ended = Promise.withResolvers<Pick<ScreenResult, "code" | "next">>();
  const leave = (code: number, next: Next | null = null): void => {
    // A terminal that is gone answers nothing.
    if (code === exitCodes.hungUp) flow.stop();
    ended.resolve({ code, next });
  };
  const crash = (error: unknown): void => ended.reject(toError(error));
  const write = (code: string): void => void process.stdout.write(code);
  const toSigns = (text: string): string => plainSigns(text, characters);
  const writeText = (text: string): void => write(toSigns(text));
  // Watch before the terminal is taken over.
  let isSuspended = false;
  /** The terminal is another program's again. */
  let hasEnded = false;
  const stopWatching = watchForEnd({
    end: leave,
    crash,
    isAway: () => isSuspended,
    ...(movesCursor ? {} : { interrupted: () => screen.press(press("ctrl+c", "")) }),
  });

  // Terminals that do not report focus never count as watched.
  let isFocused = false;
  let isMouseOn = settings.mouse && hasMouse && !isSpoken;
  const common = {
    stdin: process.stdin,
    take: (events: readonly InputEvent[]) => screen.press(...events),
    ended: () => leave(exitCodes.hungUp),
  };
  const input = movesCursor
    ? terminalInput({
        ...common,
        write,
        focus: (focused) => void (isFocused = focused),
        answered: () => flow.answered(),
        background(isLight) {
          setBackground(isLight);
          screen.setTheme(theme());
        },
      })
    : lineInput({ ...common, take: takeLine, ended: () => leave(0) });
  /** A line that was being typed as a question came is neither its answer nor a message. */
  function takeLine(events: readonly InputEvent[]): void {
    const { question } = screen.overlay;
    if (!question || question.isAnswering) return screen.press(...events);
    if (question.answersAtMs === null) return screen.press(press("tab", ""), ...events);
    screen.speak(["Not taken: the question came while you typed. Type your answer now."]);
    screen.redraw();
  }
  const theme = (): Theme => themeFor(settings.theme, process.env, colors);
  const screen = new Screen({
    options,
    type: (field, event) => ink.type(field, event),
    store,
    keys,
    theme: theme(),
    leave,
    toggleMouse() {
      if (!hasMouse) return null;
      isMouseOn = !isMouseOn;
      input.setMouse(isMouseOn);
      return isMouseOn;
    },
    draw: () => draw(),
    repaint: () => repaint(),
    write,
    async suspend(work) {
      if (isSuspended) return;
      isSuspended = true;
      await flow.pause();
      input.setReports(false);
      try {
        await terminal.suspend(work);
      } finally {
        isSuspended = false;
        flow.resume();
        if (!hasEnded) {
          input.setReports(true);
          repaint();
        }
      }
    },
  });
  if (options.draft) screen.prompt.restore(options.draft);
  input.setMouse(isMouseOn);
  const by = settings.notifyBy;
  const now = (): number => store.nowMs;
  const notices =
    settings.notifications && movesCursor
      ? notifier({
          folder: basename(options.cwd),
          by,
          isWatched: () => isFocused,
          write: writeText,
          now,
        })
      : null;
  const terminal = holdTerminal({ write, setRawMode: input.setRawMode, isAlternate: !isSpoken });
  const flow = flowControl({ write, resume: () => draw() });
  const painter = new Painter((output) => {
    write(output);
    flow.wrote(output.length);
  });
  const present = (rows: readonly string[], frame: Frame | null): void => {
    const room = isSuspended ? 0 : flow.room();
    if (room === 0) return;
    const { columns } = terminalSize();
    const marked = frame === null ? rows : screen.selection.show(rows, frame);
    const shown = {
      rows: marked.map(toSigns),
      scrolling: frame === null ? 0 : frame.start.length + frame.transcript.rows,
      cursor: frame?.cursor ?? null,
    };
    if (!painter.paint(shown, columns, room)) flow.wait();
  };
  const ink = inkScreen({
    draw: () => publish(),
    present,
    write: writeText,
    crash,
    readsTree,
    isSpoken,
    isInteractive: movesCursor,
  });
  const publish = (): void => {
    const { columns, rows } = terminalSize();
    // Lines need no room, and what was said would be said again after "too small".
    const layout = isSpoken
      ? layoutScreen(screen, Math.max(columns, minSpoken.columns), Math.max(rows, minSpoken.rows))
      : layoutScreen(screen, columns, rows);
    ink.publish(layout, { columns, rows });
  };
  const draw = (): void => {
    notices?.update(store.getState());
    if (!isSuspended && flow.room() > 0) publish();
  };
  if (!isSpoken && settings.theme === "auto" && abilities.tellsBackground) write(backgroundRequest);
  if (isSpoken) screen.speak(greet(store.getState().path, options.notices));
  draw();
  void store.fill().catch(crash);
  // After the first frame, which need not wait for git.
  if (store.getState().path.length === 0) setImmediate(() => screen.folder.load());
  const repaint = (): void => {
    painter.forget();
    ink.repaint();
    draw();
  };
  const stopWatchingSize = watchSize(repaint);
  input.setReports(true);
  if (options.firstPrompt !== undefined)
    options.send({ type: "prompt", content: [{ type: "text", text: options.firstPrompt }] });

  const { background, mcp } = options.services;
  let counts = 0;
  const countBackground = async (): Promise<void> => {
    const count = ++counts;
    const running = (await background.list()).filter(({ isRunning }) => isRunning).length;
    // An older count may arrive later.
    if (count === counts) store.dispatch({ type: "set", inBackground: running });
  };
  const subscriptions = [
    movesCursor
      ? undefined
      : speakChanges(
          store,
          () => screen.overlay.panel,
          (lines) => screen.speak(lines),
        ),
    background.watch(() => void countBackground().catch(() => undefined)),
    mcp?.watch(store.reopen),
    mcp?.reportFailures((text) => store.dispatch({ type: "notice", text })),
  ];

  /** A question is shown with its choices, and the terminal has echoed a line that was typed. */
  const isNews = (event: AgentEvent): boolean =>
    movesCursor ? !isQuestion(event) : event.type !== "entry" || event.entry.type !== "user";

  const testSandbox = async (): Promise<void> =>
    store.dispatch({ type: "set", hasSandbox: await options.services.hasSandbox() });
  void (async () => {
    let tested: Promise<void> | undefined;
    for await (const event of events) {
      store.take(event);
      if (isSpoken && isNews(event)) screen.speak(narrate(event));
      if (event.type === "phase") tested ??= testSandbox().catch(crash);
      if (event.type === "unsent") screen.prompt.takeBack(event.messages);
    }
  })().catch(crash);

  let isLast = false;
  try {
    const { code, next } = await ended.promise;
    isLast = next === null;
    const closingLines = isLast && !isSpoken ? collectClosingLines(screen) : [];
    return { closingLines, code, next, draft: screen.prompt.draft };
  } finally {
    stopWatchingSize();
    hasEnded = true;
    screen.stop();
    if (!isSuspended) await flow.pause();
    flow.stop();
    for (const end of subscriptions) end?.();
    input.setReports(false);
    notices?.stop();
    ink.unmount();
    terminal.release();
    stopWatching(isLast);
    input.stop();
  }
}
