/** Input and result of the screen, and its panels. */

import type { LiveView } from "../context/view/view.ts";
import type { BackgroundCommand } from "../protocol/background-command.ts";
import type { ImageBlock } from "../protocol/block.ts";
import type { AgentCommand } from "../protocol/command.ts";
import type { Entry, EntryId, TierName } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRules, ToolDefinition } from "../protocol/model.ts";
import type { Cloud, ServerName } from "../config/servers.ts";
import type { Settings } from "../config/settings.ts";
import type { Draft } from "./prompt/paste-chips.ts";

export type Send = (command: AgentCommand) => void;

export type ScreenOptions = {
  events: AsyncIterable<AgentEvent>;
  send: Send;
  /** The session, including resumed entries. */
  live: LiveView;
  /** Sent first by a new session, for the meter. */
  opening?: SessionOpening;
  version: string;
  /** The provider: "offline", "anthropic", "openai http://localhost:11434/v1". */
  label: string;
  model: string;
  cwd: string;
  session: string;
  /** The JSONL file of the session. */
  logFile: string;
  rules: ModelRules;
  settings: Settings;
  /** Source of each setting that is not a default: a file, a variable, a flag. */
  settingSources?: ReadonlyMap<string, string>;
  services: Services;
  firstPrompt?: string | undefined;
  notices: string[];
  /** The clock, in milliseconds since the epoch; the system's by default. */
  now?: () => number;
  panel?: Panel | undefined;
  /** The unsent text of the screen before this one. */
  draft?: Draft | undefined;
};

type SessionOpening = { system: string; tools: ToolDefinition[] };

export type ScreenResult = {
  /** Lines for the scrollback, with the theme's colors. */
  closingLines: readonly string[];
  code: number;
  /** The next screen; null: the user quit. */
  next: Next | null;
  draft?: Draft;
};

/** The next screen on the same terminal. */
export type Next =
  | { kind: "new" }
  | { kind: "session"; session: string }
  /** A copy of this session; the title may be empty. */
  | { kind: "fork"; title: string }
  | { kind: "settings"; settings: Settings }
  /** This session, answered by a server that speaks OpenAI's API. */
  | { kind: "server"; baseUrl: string; model: string }
  /** This session, answered by that provider; null: its key is in the environment, its model the usual. */
  | { kind: "provider"; provider: ProviderName; key: string | null; model: string | null };

export type LocalServer = { name: string; baseUrl: string; models: readonly string[] };

/** A provider or server, and its state on this machine. */
export type ProviderOffer = {
  provider: ProviderName;
  title: string;
  /** The variable that holds its key; null: it needs none. */
  keyName: string | null;
  /** Short text: which key, credentials or server were checked, and whether they exist. */
  found: string;
  /** Ready to answer. */
  isReady: boolean;
  /** A server on this machine that answers. */
  server: LocalServer | null;
};

export type ProviderName = "anthropic" | Cloud | ServerName;

export interface ProviderService {
  list(): Promise<ProviderOffer[]>;
  /** The names of its models; empty if it lists none. `key`: null for the one of the environment. */
  models(provider: ProviderName, key: string | null): Promise<string[]>;
}

export interface Services {
  /** The full result or message, even if the log holds only a preview. */
  openOriginal(entry: Entry): Promise<PagedText>;
  files(query: string): Promise<FileMatches>;
  loadHistory(): Promise<string[]>;
  saveHistory(text: string): Promise<void>;
  /** Opens the user's editor on `text`. Rejects with a sentence. */
  edit(text: string): Promise<string>;
  /** null: not an image, or one that the model does not accept. */
  readImage(path: string): Promise<ImageBlock | null>;
  /** null: not a repository, or the folder is not trusted. */
  gitState(): Promise<GitState | null>;
  instructions(): Promise<string[]>;
  latestSession(): Promise<LatestSession | null>;
  /** The image on the clipboard; null: there is none. Rejects with a sentence. */
  clipboardImage(): Promise<ImageBlock | null>;
  /** Fallback for terminals without OSC 52. */
  copyWithProgram(text: string): void;
  /** Latest first. */
  sessions(where: "here" | "everywhere"): Promise<SessionSummary[]>;
  /** Writes a file and returns its path; "" is named as the session. Rejects with a sentence. */
  exportSession(name: string): Promise<string>;
  /** The cost of all sessions on this machine. */
  usage(signal: AbortSignal): Promise<UsageReport>;
  /** Entries with these words, best first. */
  recall(query: string, where: "session" | "project"): Promise<Recalled[]>;
  /** Effects of a rewind of the files to `to`, a line per file. */
  previewRewind(to: EntryId | null): Promise<string[]>;
  background: BackgroundService;
  hasSandbox(): Promise<boolean>;
  commands(): Promise<readonly UserCommand[]>;
  memoryFiles(): Promise<MemoryFile[]>;
  /** Opens the user's editor on a file of theirs. Rejects with a sentence. */
  editFile(path: string): Promise<void>;
  hooks(): Promise<HookLine[]>;
  /** Names of the provider's models; empty if it does not list them. */
  models(): Promise<string[]>;
  modelRules(name: string): Promise<ModelRules>;
  providers: ProviderService;
  /** The lines of the user's status command, with their colors: none if it fails; null: there is no command. */
  statusLine(input: unknown, signal: AbortSignal): Promise<readonly string[] | null>;
  /** MCP servers; absent: none are configured. */
  mcp?: McpService;
  /** Stores a setting for later sessions. Rejects with a sentence. */
  saveSetting(name: string, value: unknown): Promise<void>;
}

export type McpServerInfo = {
  name: string;
  scope: string;
  state: string;
  where: string;
  tools: readonly { name: string; description: string }[];
  prompts: readonly string[];
  resources: number;
  /** Connection errors and omitted features. */
  problems: readonly string[];
  stderr: readonly string[];
};

export interface McpService {
  servers(): McpServerInfo[];
  /** Allows a server of the project, now and later. */
  approve(name: string): Promise<void>;
  reconnect(name: string): Promise<void>;
  /** Returns a function that ends the subscription. */
  watch(changed: () => void): () => void;
  /** Reports each server that cannot be connected, once, in a sentence. */
  reportFailures(report: (sentence: string) => void): () => void;
}

/** `changedFiles` is null if git does not say. */
export type GitState = { branch: string; changedFiles: number | null };

/** `turns`: messages of the user; null if there are too many to count. */
export type LatestSession = SessionSummary & { turns: number | null };

export type BackgroundService = {
  /** Running commands and those that have ended, newest first. */
  list(): Promise<BackgroundCommand[]>;
  /** The output so far. Rejects with a sentence. */
  open(command: BackgroundCommand): Promise<PagedText>;
  /** Stops a running command; returns a sentence for the user. */
  stop(id: string): Promise<string>;
  /** Calls `changed` when one starts or ends, until the returned function is called. */
  watch(changed: () => void): () => void;
};

export type UsageReport = { rows: UsageRow[]; sessions: number };

/** Usage in a period or of a project. `sentTokens` includes `cachedTokens`. */
type UsageRow = {
  name: string;
  calls: number;
  sentTokens: number;
  cachedTokens: number;
  answerTokens: number;
  usd: number;
  /** Some of its prices are estimates. */
  isEstimate: boolean;
};

/** A file of notes or instructions; `bytes` is null when it does not exist. */
export type MemoryFile = { name: string; path: string; bytes: number | null };

/** A command in a file of the user or the project, or one of the program's own prompts. */
export type UserCommand = {
  name: string;
  description: string;
  argumentHint: string;
  isBuiltIn?: true;
};

/** A hook and its latest result; null: not run yet. */
export type HookLine = {
  event: string;
  /** Empty: matches everything. */
  matcher: string;
  source: string;
  name: string;
  last: string | null;
  /** The tiers that it runs. */
  tiers?: readonly TierName[];
};

/** A text of any size, read page by page. */
export interface PagedText {
  readonly lines: number;
  readonly bytes: number;
  /** Lines `from` to `to`, without `to`, counted from 0; fewer at the end. */
  read(from: number, to: number): Promise<string[]>;
}

export type Recalled = {
  entry: Entry;
  /** Another session, or null for this one. */
  session: string | null;
  snippet: string;
  /** Files that changed since, a few words each. */
  stale: string[];
};

export type SessionSummary = {
  session: string;
  cwd: string;
  title: string;
  firstPrompt: string;
  bytes: number;
  /** Size of its context at the last call; null: there was none. */
  usedTokens: number | null;
  /** Reads all of it. */
  readWork(): Promise<SessionWork>;
  /** ISO 8601 */
  at: string;
  /** Another process has it open. */
  busy: boolean;
  /** Its folder no longer exists, so any folder can continue it. */
  isHomeless?: true;
};

/** `turns`: messages of the user; null if there are too many to count. */
export type SessionWork = { turns: number | null; usd: number };

/** `text`: initial search or input. Questions from the agent cover every panel. */
export type Panel = { kind: PanelName; text?: string };

/** The panels that there are: `panels/table.tsx` declares them. */
export interface Panels {}

/** `rest`: resolves when the whole workspace has been read; null: already read. */
export type FileMatches = { paths: string[]; rest: Promise<void> | null };

/** The views of the context panel. */
export const contextTabs = ["map", "items", "rules", "lens", "cost"] as const;

export type PanelName = keyof Panels;
