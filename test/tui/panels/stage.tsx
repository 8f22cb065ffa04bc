/** A part of the screen by itself: drawn into text, with keys from a script and commands on record. */

import { render } from "ink-testing-library";
import { useSyncExternalStore, type ReactNode } from "react";
import { stripVTControlCharacters } from "node:util";
import { defaultSettings } from "../../../src/config/schema.ts";
import type { ImageBlock } from "../../../src/protocol/block.ts";
import type { Command } from "../../../src/protocol/command.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import type { ModelRules } from "../../../src/protocol/model.ts";
import { InputBus, InputContext } from "../../../src/tui/input.tsx";
import { typed, type InputEvent } from "../../../src/tui/keys.ts";
import { Store } from "../../../src/tui/store.ts";
import { themeOf } from "../../../src/tui/theme.ts";
import type { Next, PagedText, PanelProps, Services } from "../../../src/tui/types.ts";
import { Builder, rules as builtRules } from "../../context/build.ts";

const nothing: PagedText = { lines: 0, bytes: 0, read: async () => [] };

export const quietServices: Services = {
  openOriginal: async () => nothing,
  files: async () => [],
  loadHistory: async () => [],
  saveHistory: async () => {},
  edit: async (text) => text,
  page: async () => {},
  readImage: async () => null,
};

export type Stage = {
  /** Everything the part sent to the agent. */
  sent: Command[];
  /** Everything the prompt submitted. */
  submitted: { text: string; images: readonly ImageBlock[] }[];
  copied: string[];
  opened: Next[];
  store: Store;
  /** The picture, without colours and without blanks at line ends. */
  frame(): string;
  /** Named keys, or text: "<down><enter>", "hello". */
  press(...keys: string[]): Promise<void>;
  emit(...events: InputEvent[]): Promise<void>;
  tell(...events: AgentEvent[]): Promise<void>;
  /** Lets everything that is under way settle. */
  settle(): Promise<void>;
  end(): void;
};

type Options = {
  columns?: number;
  rows?: number;
  services?: Partial<Services>;
  rules?: ModelRules;
  nowMs?: number;
  settings?: Partial<typeof defaultSettings>;
};

export function stage(
  session: Builder,
  draw: (props: PanelProps) => ReactNode,
  options: Options = {},
): Stage {
  const { columns = 80, rows = 20, rules = builtRules, nowMs = session.nowMs } = options;
  const settings = { ...defaultSettings, ...options.settings };
  const sent: Command[] = [];
  const submitted: Stage["submitted"] = [];
  const copied: string[] = [];
  const opened: Next[] = [];
  const send = (command: Command): void => void sent.push(command);
  const services = { ...quietServices, ...options.services };
  const store = new Store({
    model: rules.model,
    mode: "default",
    rules,
    policy: settings.policy,
    history: session.path,
    now: () => nowMs,
  });
  const bus = new InputBus();
  function Part() {
    const state = useSyncExternalStore(store.subscribe, store.getState);
    return draw({
      state,
      dispatch: store.dispatch,
      send,
      options: {
        events: (async function* () {})(),
        send,
        history: session.path,
        label: "test",
        model: rules.model,
        cwd: "/w",
        session: "s",
        logFile: "/w/s.jsonl",
        rules,
        policy: settings.policy,
        settings,
        services,
        notices: [],
      },
      rules,
      view: store.view,
      reading: store.reading,
      theme: themeOf("none"),
      columns,
      rows,
      nowMs,
      suspend: (work) => work(),
      copy: (text) => void copied.push(text),
      open: (next) => void opened.push(next),
      submit: (text, images) => void submitted.push({ text, images }),
    });
  }
  const app = render(
    <InputContext value={bus}>
      <Part />
    </InputContext>,
  );
  // The bus draws between two keys of one read, which takes a few turns for each.
  const settle = async (keys = 0): Promise<void> => {
    for (let turn = 0; turn < 12 + 4 * keys; turn++)
      await new Promise((resolve) => setImmediate(resolve));
  };
  const emit = async (...events: InputEvent[]): Promise<void> => {
    await settle();
    bus.emit(...events);
    await settle(events.length);
  };
  return {
    sent,
    submitted,
    copied,
    opened,
    store,
    frame: () =>
      stripVTControlCharacters(app.lastFrame() ?? "")
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n"),
    emit,
    press: async (...keys) => {
      for (const key of keys) await emit(...keysOf(key));
    },
    tell: async (...events) => {
      for (const event of events) store.take(event);
      await settle();
    },
    settle: () => settle(),
    end: () => app.unmount(),
  };
}

function keysOf(text: string): InputEvent[] {
  const name = /^<(.+)>$/.exec(text)?.[1];
  return name === undefined ? typed(text) : [{ type: "key", chord: name, text: "" }];
}
