/** The screen from start to end: it takes the terminal, and gives it back whatever happens. */

import { render } from "ink";
import { buildKeyMap } from "../config/keys.ts";
import { App } from "./app.tsx";
import { InputBus, InputContext } from "./input.tsx";
import { runScreenReader } from "./screen-reader/run-screen-reader.ts";
import { Store } from "./store.ts";
import { restoreTitle, saveTitle } from "./terminal/notifications.ts";
import { coalesceOutput } from "./terminal/coalesce-output.ts";
import { terminalInput } from "./terminal/terminal-input.ts";
import { guessTheme, themeOf } from "./theme.ts";
import type { Next, ScreenOptions, ScreenResult } from "./types.ts";

/** Draws until the person leaves or the terminal is gone. Throws what nobody caught, screen restored. */
export async function runScreen(options: ScreenOptions): Promise<ScreenResult> {
  const { settings, history, model, rules, policy, events } = options;
  if (settings.screenReader) return runScreenReader(options);
  const store = new Store({
    model,
    mode: settings.permissionMode,
    rules,
    policy,
    history,
    now: () => Date.now(),
  });
  const { keys, problems } = buildKeyMap(settings.keys);
  for (const text of [...options.notices, ...problems]) store.notice(text);
  if (options.panel) store.dispatch({ type: "panel", panel: options.panel });
  if (settings.vim) store.dispatch({ type: "vim", mode: "insert" });
  const ended = Promise.withResolvers<Pick<ScreenResult, "code" | "next">>();
  const leave = (code: number, next: Next | null = null): void => ended.resolve({ code, next });
  const crash = (error: unknown): void =>
    ended.reject(error instanceof Error ? error : new Error(String(error)));

  const { COLORFGBG } = process.env;
  const theme = themeOf(settings.theme === "auto" ? guessTheme(COLORFGBG) : settings.theme);
  const bus = new InputBus();
  const signals = { SIGTERM: 143, SIGHUP: 129 } as const;
  const onTerm = (): void => leave(signals.SIGTERM);
  const onHup = (): void => leave(signals.SIGHUP);
  // Until the terminal tells, nobody knows whether somebody watches.
  let isFocused = false;
  const input = terminalInput({
    stdin: process.stdin,
    write: (code) => void process.stdout.write(code),
    take: (events) => bus.emit(...events),
    focus: (focused) => void (isFocused = focused),
    ended: onHup,
  });
  let mouse = settings.mouse;
  input.setMouse(mouse);
  if (settings.notifications) process.stdout.write(saveTitle);
  const app = render(
    <InputContext value={bus}>
      <App
        options={options}
        store={store}
        theme={theme}
        keys={keys}
        leave={leave}
        toggleMouse={() => input.setMouse((mouse = !mouse))}
        setReports={input.setReports}
        isWatched={() => isFocused}
        redraw={() => redraw()}
      />
    </InputContext>,
    {
      stdin: input,
      stdout: coalesceOutput(process.stdout),
      alternateScreen: true,
      incrementalRendering: true,
      exitOnCtrlC: false,
      interactive: true,
      maxFps: 30,
    },
  );
  const redraw = (): void => {
    app.clear();
    store.dispatch({ type: "redraw" });
  };
  // A frame that was on its way while the terminal changed its size may have been cut or wrapped. The
  // signal also comes when the size is the old one again, of which the stream would tell nothing.
  let settled: ReturnType<typeof setTimeout> | undefined;
  const onResize = (): void => {
    clearTimeout(settled);
    settled = setTimeout(redraw, 80);
  };
  process.on("SIGWINCH", onResize);
  // Who was stopped from outside does not know what was drawn over the screen meanwhile.
  process.on("SIGCONT", onResize);
  input.setReports(true);
  process.on("SIGTERM", onTerm);
  process.on("SIGHUP", onHup);
  // An error that nobody caught would leave the terminal in the alternate screen, without a prompt.
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  process.stdout.on("error", onHup);
  app.waitUntilExit().then(() => leave(0), crash);

  void (async () => {
    for await (const event of events) store.take(event);
  })().catch(crash);

  // Of a line that is cut the input tells first, then the signal, then every write: what is still to
  // be done (ending commands, closing the log) must survive them all.
  let staysDeaf = false;
  try {
    const { code, next } = await ended.promise;
    staysDeaf = next === null;
    return { lastAnswer: store.getState().lastAnswer, code, next };
  } finally {
    clearTimeout(settled);
    process.off("SIGWINCH", onResize);
    process.off("SIGCONT", onResize);
    input.setReports(false);
    if (settings.notifications) process.stdout.write(restoreTitle);
    app.unmount();
    await app.waitUntilExit().catch(() => undefined);
    process.off("SIGTERM", onTerm);
    if (!staysDeaf) {
      process.off("SIGHUP", onHup);
      process.stdout.off("error", onHup);
    }
    process.off("uncaughtException", crash);
    process.off("unhandledRejection", crash);
    input.stop();
  }
}
