/** Runs a screen from mount to exit. */

import { basename } from "node:path";
import type { AgentEvent } from "../protocol/event.ts";
import { toError } from "../base/guards.ts";
import { mountScreen } from "./mounted-screen.ts";
import type { Screen } from "./screen.ts";
import { type InputEvent, press } from "./keys.ts";
import { sanitize } from "./sanitize.ts";
import { greet, narrate, speakChanges } from "./spoken/narrate.ts";
import { takeTerminal } from "./take-terminal.ts";
import { terminalSize } from "./terminal/held-terminal.ts";
import { notifier } from "./terminal/notifications.ts";
import type { Next, ScreenOptions, ScreenResult } from "./types.ts";

/** Minimum layout size for screen-reader output. */
const minSpoken = { columns: 40, rows: 20 };

/** Panel height for line-based output, which never scrolls. */
const minLines = { columns: 80, rows: 300 };

function collectClosingLines({ store, transcript, settings }: Screen): string[] {
  const { printOnExit } = settings.current;
  const { state } = store;
  if (printOnExit === "nothing" || state.path.length === 0) return [];
  if (printOnExit === "answer")
    return state.lastAnswer === "" ? [] : [...sanitize(state.lastAnswer).split("\n"), ""];
  return [...transcript.lastLines(terminalSize().columns), ""];
}

/**
 * Runs until the user quits or the terminal is gone. Throws uncaught errors, terminal restored.
 * `readsTree`: see `InkOutput`.
 */
export async function runScreen(options: ScreenOptions, readsTree = true): Promise<ScreenResult> {
  const { settings, events } = options;
  const ended = Promise.withResolvers<Pick<ScreenResult, "code" | "next">>();
  const leave = (code: number, next: Next | null = null): void => ended.resolve({ code, next });
  const crash = (error: unknown): void => ended.reject(toError(error));
  await using terminal = takeTerminal({
    settings,
    openInk: (output) => mounted.openInk({ ...output, readsTree }),
    leave,
    crash,
    take: (keys) => screen.press(...keys),
    takeLine,
    changed: () => screen.store.redraw(),
    mark: (rows) => (mounted.layout ? screen.selection.show(rows, mounted.layout) : rows),
    layout() {
      const { budget } = mounted.publish();
      if (!budget.fits) return {};
      const { start, transcript, cursor } = budget;
      return { scrolling: start + transcript, cursor };
    },
  });
  const { isSpoken, movesCursor } = terminal;
  /** A line begun before a question appeared is neither an answer nor a message. */
  function takeLine(line: readonly InputEvent[]): void {
    const { question } = screen.overlay;
    if (!question || question.isAnswering) return screen.press(...line);
    if (question.answersAtMs === null) return screen.press(press("tab", ""), ...line);
    screen.speak(["Not taken: the question came while you typed. Type your answer now."]);
    screen.store.redraw();
  }
  const notices =
    settings.notifications && movesCursor
      ? notifier({
          folder: basename(options.cwd),
          by: settings.notifyBy,
          isWatched: () => terminal.isFocused,
          write: terminal.writeText,
          now: () => screen.store.nowMs,
        })
      : null;
  const draw = (): void => {
    notices?.update(screen.store.state);
    terminal.draw();
  };
  const mounted = mountScreen({
    options,
    terminal,
    draw,
    leave,
    flush: terminal.flush,
    size() {
      // Line-based output needs no minimum size, and would repeat everything after "too small".
      const least = !movesCursor ? minLines : isSpoken ? minSpoken : { columns: 0, rows: 0 };
      const { columns, rows } = terminalSize();
      return { columns: Math.max(columns, least.columns), rows: Math.max(rows, least.rows) };
    },
  });
  const { screen } = mounted;
  for (const text of options.notices) screen.store.dispatch({ type: "notice", text });
  if (options.panel) screen.actions.show(options.panel);
  if (options.draft) screen.prompt.restore(options.draft);
  if (isSpoken) screen.speak(greet(screen.store.state.path, options.notices));
  draw();
  // A panel's height is known once it is mounted.
  if (options.panel) draw();
  // After the first frame, so that it does not wait for git.
  if (screen.store.state.path.length === 0) setImmediate(() => screen.folder.load());
  if (options.firstPrompt !== undefined)
    options.send({ type: "prompt", content: [{ type: "text", text: options.firstPrompt }] });

  const { background, mcp } = options.services;
  let counts = 0;
  const countBackground = async (): Promise<void> => {
    const count = ++counts;
    const running = (await background.list()).filter(({ isRunning }) => isRunning).length;
    // An older count may arrive later.
    if (count === counts) screen.store.dispatch({ type: "set", inBackground: running });
  };
  const subscriptions = [
    movesCursor ? undefined : speakChanges(screen, mounted.commit),
    background.watch(() => void countBackground().catch(() => undefined)),
    mcp?.watch(screen.store.reopen),
    mcp?.reportFailures((text) => screen.store.dispatch({ type: "notice", text })),
  ];

  /** False for events already on the screen: a question with its choices, a typed line that the terminal echoed. */
  const isNews = (event: AgentEvent): boolean =>
    movesCursor ? event.type !== "ask" : event.type !== "entry" || event.entry.type !== "user";

  const testSandbox = async (): Promise<void> =>
    screen.store.dispatch({ type: "set", hasSandbox: await options.services.hasSandbox() });
  void (async () => {
    let tested: Promise<void> | undefined;
    for await (const event of events) {
      screen.store.take(event);
      if (isSpoken && isNews(event)) screen.speak(narrate(event));
      if (event.type === "phase") tested ??= testSandbox().catch(crash);
      if (event.type === "unsent") screen.prompt.takeBack(event.messages);
    }
  })().catch(crash);

  try {
    const { code, next } = await ended.promise;
    terminal.isLast = next === null;
    const closingLines = terminal.isLast && !isSpoken ? collectClosingLines(screen) : [];
    return {
      closingLines,
      code,
      next,
      // Keep reading keys until the terminal is restored.
      get draft() {
        return screen.prompt.draft;
      },
    };
  } finally {
    screen.stop();
    for (const end of subscriptions) end?.();
    notices?.stop();
  }
}
