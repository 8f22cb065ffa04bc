/** The screen without a terminal: rows as text, scripted keys, recorded commands. */

import { onTestFinished } from "bun:test";
import { defaultSettings } from "../../src/config/settings.ts";
import { LiveView } from "../../src/context/view/view.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { mountScreen } from "../../src/ui/mounted-screen.ts";
import { Decoder, type TerminalEvent } from "../../src/ui/terminal/terminal-input.ts";
import { setColorDepth, makeTheme, type Theme } from "../../src/ui/theme.ts";
import { Builder, rules as builtRules } from "../context/build.ts";
import { quietServices, type ScreenOptions, type Services } from "./quiet-services.ts";

/** What the first request of an empty session will contain. */
const opening = { system: "You are a coding agent. ".repeat(400), tools: [] };

type Next = NonNullable<Parameters<Parameters<typeof mountScreen>[0]["leave"]>[1]>;

export type Panel = NonNullable<ScreenOptions["panel"]>;

/** A key, a paste, or the mouse. */
export type InputEvent = Exclude<TerminalEvent, { type: "focus" | "status" | "background" }>;

export type Stage = ReturnType<typeof stage>;

type StageOptions = {
  panel?: Panel;
  columns?: number;
  rows?: number;
  services?: Partial<Services>;
  rules?: ModelRules;
  nowMs?: number;
  settings?: Partial<typeof defaultSettings>;
  theme?: Theme;
  /** The chord that a surrounding program takes. */
  prefix?: string;
  cwd?: string;
  version?: string;
  /** Nothing has been sent yet. */
  isEmpty?: boolean;
  /** Its owner ends it; otherwise the end of the test does. */
  isKept?: boolean;
};

export function stage(session: Builder, options: StageOptions = {}) {
  const { columns = 80, rows = 20, rules = builtRules, panel } = options;
  const settings = { ...defaultSettings, ...options.settings };
  let nowMs = options.nowMs ?? session.nowMs;
  const entries = options.isEmpty ? [] : [...session.path];
  const live = new LiveView({ path: entries, entries });
  const sent: AgentCommand[] = [];
  const copied: string[] = [];
  const opened: Next[] = [];
  setColorDepth(256);
  const send = (command: AgentCommand): void => void sent.push(command);
  const mounted = mountScreen({
    options: {
      events: (async function* () {})(),
      send,
      live,
      ...(options.isEmpty ? { opening } : {}),
      now: () => nowMs,
      version: options.version ?? "0.0.0",
      label: "test",
      model: rules.model,
      cwd: options.cwd ?? "/w",
      session: "s",
      logFile: "/w/s.jsonl",
      rules,
      settings,
      services: { ...quietServices, ...options.services },
      notices: [],
    },
    terminal: {
      theme: options.theme ?? makeTheme("none"),
      prefix: options.prefix ?? null,
      toggleMouse: () => true,
      repaint: () => {},
      write: (code) => {
        const start = "\x1b]52;c;";
        if (!code.startsWith(start)) return;
        copied.push(Buffer.from(code.slice(start.length, -1), "base64").toString());
      },
      suspend: (work) => work(),
    },
    draw: () => void draw(),
    flush: (): void => ink.flush(),
    size: () => size,
    leave: (_, next) => void (next && opened.push(next)),
  });
  const { screen: controller, openInk } = mounted;
  if (panel) controller.actions.show(panel);
  /** A screen whose panels may have as many columns and rows. */
  const around = {
    columns: columns < 56 ? columns : columns + 4,
    rows: rows < 10 ? rows + 4 : Math.ceil(rows / 0.7),
  };
  let size = around;
  let drawn: readonly string[] = [];
  const ink = openInk({
    present: (all) =>
      (drawn = mounted.layout ? controller.selection.show(all, mounted.layout) : all),
    write: () => {},
    crash: (error) => {
      throw error;
    },
  });
  /** The size of what is drawn; null: something has changed since. */
  let drawnSize: typeof size | null = null;
  const draw = (): readonly string[] => {
    drawnSize = size;
    mounted.publish();
    ink.publish(size);
    ink.flush();
    return drawn;
  };
  /** Draws what has changed. */
  const show = (): readonly string[] =>
    drawnSize?.columns === size.columns && drawnSize.rows === size.rows ? drawn : draw();
  controller.store.subscribe(() => (drawnSize = null));
  if (panel) {
    draw();
    // Its height is known once it is mounted.
    draw();
  }
  const pass = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const settle = async (): Promise<void> => {
    show();
    await pass(12);
    show();
  };
  const emit = async (...events: InputEvent[]): Promise<void> => {
    if (drawn.length === 0) draw();
    controller.press(...events);
    await pass(12);
    show();
  };
  const rowsOf = (width: number, height: number): readonly string[] => {
    size = { columns: width, rows: height };
    return show();
  };
  const end = (): void => {
    controller.stop();
    ink.unmount();
  };
  if (!options.isKept) onTestFinished(end);
  return {
    /** All commands that were sent to the agent. */
    sent,
    copied,
    opened,
    /** The entries of the log. */
    entries,
    store: controller.store,
    controller,
    openInk,
    /** Lays out a frame of this size. */
    layout(width: number, height: number) {
      size = { columns: width, rows: height };
      return mounted.publish();
    },
    /** The text in the prompt. */
    prompt: () => controller.prompt.editor.text,
    /** The message above the prompt. */
    message: () => controller.store.state.flash?.text ?? "",
    /** The open panel or question, without colors and trailing spaces. */
    frame(): string {
      size = around;
      const all = show().map(Bun.stripANSI);
      const { origin } = controller.overlay;
      const height = mounted.layout?.budget.overlay ?? 0;
      return all
        .slice(origin.row, origin.row + height)
        .map((line) => line.slice(origin.column).trimEnd())
        .join("\n");
    },
    /** The rows of the whole screen, styled. */
    rows: rowsOf,
    /** The whole screen as text. */
    shown: (width = 80, height = 24) => rowsOf(width, height).map(toText).join("\n"),
    /** The lines of the transcript as text. */
    transcript: (width = 80, height = 40) =>
      controller.transcript.frame(width, height).lines.map(toText),
    emit,
    /** Keys by name, or text: "<down>", "hello". */
    press: async (...keys: string[]) => {
      for (const key of keys) await emit(...parseKeys(key));
    },
    tell: async (...events: AgentEvent[]) => {
      for (const event of events) {
        if (event.type === "entry") entries.push(event.entry);
        controller.store.take(event);
      }
      await settle();
    },
    /** Lets pending promises settle. */
    settle,
    /** Advances the clock. */
    wait(ms: number): void {
      nowMs += ms;
      draw();
    },
    end,
  };
}

const toText = (line: string): string => Bun.stripANSI(line).trimEnd();

/** Draws a stage on a screen of its own; `end` returns what a screen reader was told. */
export function drawAnew(on: Stage, isSpoken = false) {
  let rows: readonly string[] = [];
  let spoken = "";
  const ink = on.openInk({
    present: (drawn) => (rows = drawn),
    write: (text) => (spoken += text),
    crash: (error) => {
      throw error;
    },
    isSpoken,
  });
  return {
    publish: ink.publish,
    rows: () => rows,
    end(): string {
      ink.flush();
      ink.unmount();
      return spoken;
    },
  };
}

export const key = (chord: string, text = ""): InputEvent => ({ type: "key", chord, text });

/** The keys that type this text, or the one key that is named: "<down>". */
export function parseKeys(text: string): InputEvent[] {
  const name = /^<(.+)>$/.exec(text)?.[1];
  if (name !== undefined) return [key(name)];
  const decoder = new Decoder();
  // Several lines in one read would be a paste.
  return text.split(/(?<=\r)/).flatMap((line) => decoder.push(line).filter(isInput));
}

const isInput = (event: TerminalEvent): event is InputEvent =>
  event.type === "key" || event.type === "paste" || event.type === "mouse";
