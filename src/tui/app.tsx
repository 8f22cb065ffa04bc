/** The whole screen: transcript, a dialog or panel, meter, status, prompt; and who gets which key. */

import { basename } from "node:path";
import { Box, Text, useApp, useStdin, useStdout, useWindowSize } from "ink";
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { KeyMap } from "../config/keys.ts";
import type { ImageBlock } from "../protocol/block.ts";
import { runCommand } from "./commands.ts";
import { useGlobalKeys } from "./global-keys.ts";
import { ContextMeter, StatusLine } from "./meter/context-meter.tsx";
import { Panels } from "./panels/panels.tsx";
import { Prompt } from "./prompt/prompt.tsx";
import type { Store } from "./store.ts";
import { useNotifications } from "./terminal/notifications.ts";
import { themeOf, type Theme } from "./theme.ts";
import { Transcript } from "./transcript/transcript.tsx";
import { useTranscript } from "./transcript/use-transcript.ts";
import type { Next, PanelProps, ScreenOptions, ScreenState } from "./types.ts";

type AppProps = {
  options: ScreenOptions;
  store: Store;
  theme: Theme;
  keys: KeyMap;
  leave(code: number, next?: Next): void;
  toggleMouse(): void;
  /** Reports of pastes, focus and the mouse: off while another program has the terminal. */
  setReports(on: boolean): void;
  /** The terminal says that its window is in front. */
  isWatched(): boolean;
  /** Draws everything anew, whatever the terminal made of the frames before. */
  redraw(): void;
};

/** A smaller terminal cannot hold the meter, the status and a prompt. */
const least = { columns: 20, rows: 5 };

export function App(props: AppProps) {
  const { options, store, theme: given, keys, leave, toggleMouse, redraw } = props;
  const state = useSyncExternalStore(store.subscribe, store.getState);
  const theme = useMemo(
    () => (state.theme === null ? given : themeOf(state.theme)),
    [state.theme, given],
  );
  const { columns, rows } = useWindowSize();
  const [promptRows, setPromptRows] = useState(1);
  const [panelHeight, setPanelHeight] = useState(0);
  const [typing, setTyping] = useState(false);
  const nowMs = useTicks(store);
  const { copy, suspend, write } = useTerminal(props);
  const { dispatch, view, reading } = store;
  const { send, rules } = options;

  const open = (next: Next): void => {
    if (state.phase === "idle" && state.asks.length === 0) return leave(0, next);
    const text = "The agent is at work: Esc stops it, then this can be left.";
    dispatch({ type: "flash", text, untilMs: Date.now() + 5_000 });
  };

  const live = useHeld(state, nowMs);
  const covered =
    state.asks.length > 0 || state.panel !== null || state.compaction?.step === "review";
  const panelRows = Math.max(3, Math.min(rows - 3, Math.floor(rows * 0.6)));
  const listRows = Math.max(1, rows - 2 - promptRows - (covered ? panelHeight : 0));
  const common = {
    state,
    dispatch,
    send,
    options,
    rules,
    view,
    reading,
    theme,
    columns,
    nowMs,
    copy,
    suspend,
    open,
  };

  useRawTerminal();
  useNotifications({
    state,
    folder: basename(options.cwd),
    notifies: options.settings.notifications,
    by: options.settings.notifyBy,
    isWatched: props.isWatched,
    write,
  });
  const transcript = useTranscript({ ...common, keys, rows: listRows, covered });
  useGlobalKeys({ ...common, keys, leave, toggleMouse, redraw });

  const submit = (text: string, images: readonly ImageBlock[]): void => {
    transcript.follow();
    if (text.startsWith("!")) return send({ type: "shell", command: text.slice(1).trim() });
    if (text.startsWith("/") && runCommand(text, { ...common, exit: () => leave(0) })) return;
    if (/^\/[\w-]+$/.test(text)) {
      const words = `There is no command ${text}; /help lists them.`;
      return dispatch({ type: "flash", text: words, untilMs: Date.now() + 5_000 });
    }
    const words = text === "" ? [] : [{ type: "text" as const, text }];
    send({ type: "prompt", content: [...images, ...words] });
  };

  const firstPrompt = useRef(options.firstPrompt);
  useEffect(() => {
    const text = firstPrompt.current;
    firstPrompt.current = undefined;
    if (text !== undefined) send({ type: "prompt", content: [{ type: "text", text }] });
  }, [send]);

  if (columns < least.columns || rows < least.rows) {
    return <Text wrap="truncate">{`Too small: ${columns}x${rows}`}</Text>;
  }
  // Numbers that changed with every token would cost more than the token.
  const calm = live.liveChars === state.liveChars ? state : { ...state, liveChars: live.liveChars };
  const part: PanelProps = { ...common, rows: panelRows, submit };
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Transcript {...transcript} rows={listRows} columns={columns} theme={theme} />
      {covered ? <Panels {...part} keys={keys} typing={typing} onHeight={setPanelHeight} /> : null}
      <ContextMeter {...part} state={calm} />
      <StatusLine {...part} state={calm} />
      <Prompt
        {...part}
        rows={Math.max(1, rows - 4)}
        keys={keys}
        covered={covered}
        top={rows - promptRows}
        onHeight={setPromptRows}
        onTyping={setTyping}
      />
    </Box>
  );
}

/** The time, once a second while something depends on it. */
function useTicks(store: Store): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const state = useSyncExternalStore(store.subscribe, store.getState);
  const ticks =
    state.phase !== "idle" || state.flash !== null || store.reading.cache.state === "hot";
  useEffect(() => {
    if (!ticks) return;
    const tick = (): void => {
      setNowMs(Date.now());
      store.dispatch({ type: "tick", nowMs: Date.now() });
    };
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [ticks, store]);
  return nowMs;
}

/** The length of the growing answer as of the last tick; of a new answer at once. */
function useHeld(state: ScreenState, nowMs: number): { liveChars: number } {
  const held = useRef({ nowMs, liveChars: state.liveChars });
  if (held.current.nowMs !== nowMs || state.liveChars < held.current.liveChars) {
    held.current = { nowMs, liveChars: state.liveChars };
  }
  return held.current;
}

/** What the terminal can do beside showing: hold text on its clipboard, and serve another program. */
function useTerminal({
  store,
  setReports,
}: AppProps): Pick<PanelProps, "copy" | "suspend"> & { write(code: string): void } {
  const { suspendTerminal } = useApp();
  const { stdout } = useStdout();
  const write = useCallback((code: string) => void stdout.write(code), [stdout]);
  const copy = useCallback(
    (text: string) => write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`),
    [write],
  );
  const suspend = useCallback(
    async (work: () => Promise<void>) => {
      setReports(false);
      try {
        await suspendTerminal(work);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        store.dispatch({ type: "flash", text, untilMs: Date.now() + 6_000 });
      } finally {
        setReports(true);
      }
    },
    [suspendTerminal, setReports, store],
  );
  return { copy, suspend, write };
}

/** Keys come one by one and unechoed while this is on the screen. */
function useRawTerminal(): void {
  const { setRawMode } = useStdin();
  useEffect(() => {
    setRawMode(true);
    return () => setRawMode(false);
  }, [setRawMode]);
}
