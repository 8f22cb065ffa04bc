import type { runScreen } from "../../src/ui/app.ts";
import { plainRules } from "../model-rules.ts";

export type ScreenOptions = Parameters<typeof runScreen>[0];

export type Services = ScreenOptions["services"];

type Given<Name extends "openOriginal" | "sessions"> = Awaited<ReturnType<Services[Name]>>;

export type PagedText = Given<"openOriginal">;

type SessionSummary = Given<"sessions">[number];

const nothing: PagedText = { lines: 0, bytes: 0, read: async () => [] };

const never = <T>(): Promise<T> => new Promise(() => {});

/** Services of an empty disk and machine. */
export const quietServices: Services = {
  openOriginal: async () => nothing,
  files: async () => ({ paths: [], rest: null }),
  loadHistory: async () => [],
  saveHistory: async () => {},
  edit: async (text) => text,
  readImage: async () => null,
  gitState: async () => null,
  instructions: async () => [],
  latestSession: async () => null,
  clipboardImage: async () => null,
  copyWithProgram: () => {},
  sessions: async () => [],
  exportSession: async () => "",
  usage: never,
  recall: async () => [],
  previewRewind: async () => [],
  background: {
    list: async () => [],
    open: async () => nothing,
    stop: async () => "",
    watch: () => () => {},
  },
  hasSandbox: async () => true,
  commands: async () => [],
  memoryFiles: async () => [],
  editFile: async () => {},
  hooks: async () => [],
  models: async () => [],
  modelRules: async () => plainRules,
  statusLine: async () => null,
  providers: {
    list: async () => [],
    models: async () => [],
  },
  saveSetting: async () => {},
};

/** A session in the list of sessions. */
export const summaryOf = (
  session: string,
  title: string,
  more: Partial<SessionSummary> = {},
): SessionSummary => ({
  session,
  cwd: "/w",
  title,
  firstPrompt: title,
  bytes: 700,
  usedTokens: null,
  readWork: async () => ({ turns: 1, usd: 0 }),
  at: "2026-11-20T00:00:00Z",
  busy: false,
  ...more,
});

type Mcp = NonNullable<Services["mcp"]>;

type Server = ReturnType<Mcp["servers"]>[number];

/** MCP servers: connected, without tools, unless specified otherwise. */
export const mcpWith = (servers: Partial<Server>[], more: Partial<Mcp> = {}): Mcp => ({
  servers: () =>
    servers.map((server) => ({
      name: "files",
      scope: "user",
      state: "connected",
      where: "",
      tools: [],
      prompts: [],
      resources: 0,
      problems: [],
      stderr: [],
      ...server,
    })),
  approve: async () => {},
  reconnect: async () => {},
  watch: () => () => {},
  reportFailures: () => () => {},
  ...more,
});
