/** The whole screen: transcript, a dialog or panel, meter, status, prompt; and who gets which key. */

import { Box, Text, useApp, useInput, usePaste, useStdout, useWindowSize } from "ink";
import {
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { KeyMap } from "../config/keys.ts";
import type { ImageBlock } from "../protocol/block.ts";
import { permissionModes } from "../protocol/permission.ts";
import { runCommand, type CommandContext } from "./commands.ts";
import { InputContext, useKeys } from "./input.tsx";
import { at } from "./list.ts";
import { parseKeys } from "./keys.ts";
import { ContextMeter, StatusLine } from "./meter/context-meter.tsx";
import { Panels } from "./panels/panels.tsx";
import { Prompt } from "./prompt/prompt.tsx";
import type { Store } from "./store.ts";
import type { Theme } from "./theme.ts";
import { TranscriptSource } from "./transcript/source.ts";
import { scrollBy, visibleLines, type Place } from "./transcript/viewport.ts";
import { Transcript } from "./transcript/transcript.tsx";
import type { PartProps, ScreenOptions } from "./types.ts";

type Props = {
  options: ScreenOptions;
  store: Store;
  theme: Theme;
  keys: KeyMap;
  leave(code: number): void;
};

/** A smaller terminal cannot hold the meter, the status and a prompt. */
const least = { columns: 20, rows: 5 };

export function App({ options, store, theme, keys, leave }: Props) {
  const state = useSyncExternalStore(store.subscribe, store.getState);
  const { columns, rows } = useWindowSize();
  const { suspendTerminal } = useApp();
  const { stdout } = useStdout();
  const bus = useContext(InputContext);
  const [place, setPlace] = useState<Place>(null);
  const [chosen, setChosen] = useState(0);
  const [promptRows, setPromptRows] = useState(1);
  const [nowMs, setNowMs] = useState(() => Date.now());
  const lastExit = useRef(0);
  const source = useMemo(() => new TranscriptSource(theme), [theme]);
  const { dispatch, view } = store;
  const { send } = options;

  const ticks =
    state.phase !== "idle" || state.flash !== null || store.reading.cache.state === "hot";
  useEffect(() => {
    if (!ticks) return;
    const timer = setInterval(() => {
      setNowMs(Date.now());
      dispatch({ type: "tick", nowMs: Date.now() });
    }, 1000);
    return () => clearInterval(timer);
  }, [ticks, dispatch]);

  useInput((input, key) => {
    for (const event of parseKeys(input, key)) bus.emit(event);
  });
  usePaste((text) => bus.emit({ type: "paste", text }));

  const covered = state.asks.length > 0 || state.panel !== null;
  const panelRows = covered ? Math.max(3, Math.min(rows - 3, Math.floor(rows * 0.6))) : 0;
  const [panelHeight, setPanelHeight] = useState(0);
  const listRows = Math.max(1, rows - 2 - promptRows - (covered ? panelHeight : 0));
  const lines = source.of(state, view, columns - (state.focus === "transcript" ? 1 : 0));
  const visible = visibleLines(lines, place, listRows - (place === null ? 0 : 1));
  const scroll = (delta: number): void =>
    setPlace((now) => scrollBy(lines, now, listRows - 1, delta));

  const copy = useCallback(
    (text: string) => void stdout.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`),
    [stdout],
  );
  const suspend = useCallback(
    (work: () => Promise<void>) =>
      suspendTerminal(work).catch((error: unknown) =>
        dispatch({
          type: "flash",
          text: error instanceof Error ? error.message : String(error),
          untilMs: Date.now() + 6_000,
        }),
      ),
    [suspendTerminal, dispatch],
  );
  const context: CommandContext = {
    state,
    dispatch,
    send,
    view,
    reading: store.reading,
    options,
    copy,
    suspend,
    nowMs,
    exit: () => leave(0),
  };

  const submit = (text: string, images: readonly ImageBlock[]): void => {
    setPlace(null);
    if (text.startsWith("!")) return send({ type: "shell", command: text.slice(1).trim() });
    if (text.startsWith("/") && runCommand(text, context)) return;
    if (/^\/[\w-]+$/.test(text))
      return dispatch({
        type: "flash",
        text: `There is no command ${text}; /help lists them.`,
        untilMs: nowMs + 5_000,
      });
    send({
      type: "prompt",
      content: [...images, ...(text === "" ? [] : [{ type: "text" as const, text }])],
    });
  };

  const firstPrompt = useRef(options.firstPrompt);
  useEffect(() => {
    if (firstPrompt.current)
      send({ type: "prompt", content: [{ type: "text", text: firstPrompt.current }] });
    firstPrompt.current = undefined;
  }, [send]);

  /** Ctrl-C: stops the agent first; pressed again at once, it leaves. */
  const exit = (): boolean => {
    const now = Date.now();
    if (now - lastExit.current < 2_000) leave(0);
    else {
      lastExit.current = now;
      if (state.phase !== "idle") send({ type: "stop" });
      dispatch({ type: "flash", text: "Press Ctrl-C again to leave.", untilMs: now + 2_000 });
      setNowMs(now);
    }
    return true;
  };

  useKeys(
    "dialog",
    (event) => {
      if (event.type !== "key" || event.chord === "ctrl+c") return false;
      if (event.chord === "escape") dispatch({ type: "panel", panel: null });
      return true;
    },
    state.panel !== null && state.asks.length === 0,
  );

  useKeys(
    "transcript",
    (event) => {
      if (event.type !== "key") return false;
      const step = { up: -1, down: 1, k: -1, j: 1 }[event.chord];
      const item = at(state.items, chosen);
      if (step) {
        const next = Math.max(0, Math.min(state.items.length - 1, chosen + step));
        setChosen(next);
        if (!visible.lines.some((line) => line.item === next)) setPlace({ item: next, line: 0 });
      } else if (
        (event.chord === "enter" || event.chord === "space" || event.chord === " ") &&
        item
      )
        dispatch({ type: "toggle", key: item.key });
      else if (event.chord === "u" && item?.kind === "cut")
        send({ type: "restore", cut: item.entry.id });
      else if (event.chord === "escape" || keys.actionOf(event.chord) === "focus")
        dispatch({ type: "focus", focus: "prompt" });
      else return false;
      return true;
    },
    state.focus === "transcript" && !covered,
  );

  useKeys("global", (event) => {
    if (event.type === "mouse") {
      if (event.action === "wheelUp") scroll(-3);
      else if (event.action === "wheelDown") scroll(3);
      return true;
    }
    if (event.type !== "key") return false;
    const page = Math.max(1, listRows - 2);
    switch (keys.actionOf(event.chord)) {
      case "pageUp":
        scroll(-page);
        return true;
      case "pageDown":
        scroll(page);
        return true;
      case "top":
        setPlace({ item: 0, line: 0 });
        return true;
      case "bottom":
        setPlace(null);
        return true;
      case "previousMessage":
      case "nextMessage": {
        const step = keys.actionOf(event.chord) === "nextMessage" ? 1 : -1;
        const from = visible.lines[0]?.item ?? state.items.length;
        for (let index = from + step; index >= 0 && index < state.items.length; index += step) {
          if (at(state.items, index)?.kind !== "user") continue;
          setPlace({ item: index, line: 0 });
          return true;
        }
        return true;
      }
      case "interrupt":
        if (state.phase === "idle" && state.asks.length === 0) return false;
        send({ type: "stop" });
        return true;
      case "compact":
        dispatch({ type: "panel", panel: { kind: "compact", focus: "" } });
        return true;
      case "context":
        dispatch({ type: "panel", panel: { kind: "context" } });
        return true;
      case "todo":
        dispatch({ type: "panel", panel: { kind: "todo" } });
        return true;
      case "help":
        dispatch({ type: "panel", panel: { kind: "help" } });
        return true;
      case "focus":
        setChosen(visible.lines.at(-1)?.item ?? 0);
        dispatch({ type: "focus", focus: "transcript" });
        return true;
      case "mode": {
        const next =
          permissionModes[(permissionModes.indexOf(state.mode) + 1) % permissionModes.length];
        if (next) send({ type: "mode", mode: next });
        return true;
      }
      case "background": {
        const [running] = state.running.keys();
        if (running !== undefined) send({ type: "background", toolUse: running });
        return true;
      }
      case "copy":
        copy(state.lastAnswer);
        dispatch({ type: "flash", text: "Copied the last answer.", untilMs: nowMs + 2_000 });
        return true;
      case "pager":
        void suspend(() => options.services.page(state.lastAnswer));
        return true;
      case "redraw":
        void suspend(async () => {});
        return true;
      default:
        return false;
    }
  });

  // Behind the prompt, which takes these keys while it holds text.
  useKeys("last", (event) => {
    if (event.type !== "key") return false;
    const action = keys.actionOf(event.chord);
    if (action === "exit") return exit();
    if (action === "endOfInput") leave(0);
    if (event.chord === "home") setPlace({ item: 0, line: 0 });
    else if (event.chord === "end") setPlace(null);
    return true;
  });

  if (columns < least.columns || rows < least.rows) {
    return <Text wrap="truncate">{`Too small: ${columns}x${rows}`}</Text>;
  }
  const part: PartProps = {
    state,
    dispatch,
    send,
    options,
    rules: options.rules,
    view,
    reading: store.reading,
    theme,
    columns,
    rows: panelRows,
    nowMs,
    suspend,
    copy,
    submit,
  };
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Transcript
        visible={visible}
        rows={listRows}
        columns={columns}
        theme={theme}
        chosen={state.focus === "transcript" ? chosen : null}
      />
      {covered ? <Panels {...part} keys={keys} onHeight={setPanelHeight} /> : null}
      <ContextMeter {...part} />
      <StatusLine {...part} />
      <Prompt
        {...part}
        rows={Math.max(1, rows - 4)}
        keys={keys}
        covered={covered}
        top={rows - promptRows}
        onHeight={setPromptRows}
      />
    </Box>
  );
}
