/** The words of the screen: what it is given, what its parts are given, what may be open in it. */

import type { MeterReading, View } from "../context/types.ts";
import type { ImageBlock, UserBlock } from "../protocol/block.ts";
import type { Command } from "../protocol/command.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import type { Settings } from "../config/settings.ts";
import type { Action, ScreenState } from "./state.ts";
import type { Theme } from "./theme.ts";

export type { ScreenState } from "./state.ts";

export type Send = (command: Command) => void;
export type Dispatch = (action: Action) => void;

export type ScreenOptions = {
  events: AsyncIterable<AgentEvent>;
  send: Send;
  /** Entries of the resumed session in the order they were written, those of its branches too. */
  history: readonly Entry[];
  /** Who serves the model: "offline", "anthropic", "openai http://localhost:11434/v1". */
  label: string;
  model: string;
  cwd: string;
  session: string;
  /** The JSONL file of the session. */
  logFile: string;
  rules: ModelRules;
  policy: Policy;
  settings: Settings;
  services: Services;
  /** Sent as soon as the screen is up. */
  firstPrompt?: string;
  /** One-time lines for the first screen. */
  notices: string[];
  /** What lies over the transcript from the start. */
  panel?: Panel;
};

/** What the person last read, the exit code, and what they left the screen for. */
export type ScreenResult = { lastAnswer: string; code: number; next: Next | null };

/** What opens on the same terminal in place of this session. */
export type Next =
  | { kind: "new" }
  | { kind: "session"; session: string }
  /** A session of its own that goes on from here; the title may be empty. */
  | { kind: "fork"; title: string }
  /** This session, answered by a server that speaks OpenAI's API. */
  | { kind: "server"; baseUrl: string; model: string }
  /** This session, answered by Anthropic. */
  | { kind: "key"; key: string };

export type LocalServer = { name: string; baseUrl: string; models: readonly string[] };

/** Everything of the screen that touches the disk or a process, given from outside. */
export interface Services {
  /** The whole of a result or message, also where only a preview of it is in the log. */
  openOriginal(entry: Entry): Promise<PagedText>;
  /** Paths in the workspace that match, best first: for `@` in the prompt. */
  files(query: string): Promise<string[]>;
  /** Earlier prompts, oldest first. */
  loadHistory(): Promise<string[]>;
  saveHistory(text: string): Promise<void>;
  /** Opens the person's editor on `text`; the terminal is free while it runs. */
  edit(text: string): Promise<string>;
  /** Shows `text` in the person's pager; the terminal is free while it runs. */
  page(text: string): Promise<void>;
  /** null: no image there, or one that the model does not take. */
  readImage(path: string): Promise<ImageBlock | null>;
  /** Of this folder, or of all. */
  sessions?(where: "here" | "everywhere"): Promise<SessionSummary[]>;
  /** What was said or shown and has these words: in this session, best first, or in the project's others. */
  recall?(query: string, where: "session" | "project"): Promise<Recalled[]>;
  /** What a rewind of the files to `to` would do, a line per file. */
  previewRewind?(to: EntryId | null): Promise<string[]>;
  /** What the provider offers; none where it does not tell. */
  models?(): Promise<string[]>;
  /** Model servers on this machine. */
  servers?(): Promise<LocalServer[]>;
  /** Keeps a setting for later sessions. Rejects with a sentence. */
  saveSetting?(name: string, value: string): Promise<void>;
}

/** A text of any size, read by pages of lines so that it never is in memory as a whole. */
export interface PagedText {
  readonly lines: number;
  readonly bytes: number;
  /** Lines `from` (from 0) to `to`, without `to`; fewer at the end. */
  read(from: number, to: number): Promise<string[]>;
}

export type Recalled = {
  entry: Entry;
  /** Of another session than this one. */
  session: string | null;
  snippet: string;
  /** Files that it shows and that are no longer so, a few words each. */
  stale: string[];
};

export type SessionSummary = {
  session: string;
  /** The folder that it works in. */
  cwd: string;
  title: string;
  /** The person's first words. */
  firstPrompt: string;
  bytes: number;
  /** ISO 8601 */
  at: string;
  messages: number;
  /** Whether this process may open it: another one may have it open. */
  busy: boolean;
};

/** What lies over the transcript. Questions of the agent (`state.asks`) come before any panel. */
export type Panel =
  | { kind: "help" }
  | { kind: "compact"; focus: string }
  | { kind: "inspect" }
  | { kind: "lens" }
  | { kind: "context" }
  /** What the session cost, call by call. */
  | { kind: "cost" }
  | { kind: "todo" }
  | { kind: "sessions" }
  | { kind: "connect" }
  | { kind: "recall"; query: string }
  | { kind: "model" }
  | { kind: "mode" }
  | { kind: "theme" }
  /** Choose a message of the person's to go back to. */
  | { kind: "rewind" }
  /** Choose a way that a rewind left. */
  | { kind: "branches" };

export type TodoItem = { text: string; state: "open" | "doing" | "done" };

/**
 * What every part of the screen (prompt, status line, panels) is given. A part draws itself as high
 * as it needs, at most `rows`; the transcript takes what is left.
 */
export type PanelProps = {
  state: ScreenState;
  dispatch: Dispatch;
  send: Send;
  options: ScreenOptions;
  /** The rules of the model that is asked next. */
  rules: ModelRules;
  view: View;
  reading: MeterReading;
  theme: Theme;
  columns: number;
  /** At most so many rows. */
  rows: number;
  /** Moves at least once a second while something runs or a cache grows cold. */
  nowMs: number;
  /** Leaves this session for another one, unless the agent is at work. */
  open(next: Next): void;
  /** Runs `work` with the terminal handed over (editor, pager), then redraws. */
  suspend(work: () => Promise<void>): Promise<void>;
  /** Puts text on the clipboard of the terminal (OSC 52). */
  copy(text: string): void;
  /** A prompt, a `/command` or a `!command`, as the person typed it. */
  submit(text: string, images: readonly ImageBlock[]): void;
};

export type Content = UserBlock[];
