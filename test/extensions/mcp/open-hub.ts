/** A hub over the small server. */

import { join } from "node:path";
import { Hub, type HubOptions } from "../../../src/extensions/mcp/hub.ts";
import { blockText } from "../../../src/protocol/block.ts";
import type { Tool, ToolRun } from "../../../src/tools/tool.ts";

type ServerSetup = HubOptions["servers"][number];
export type ServerConfig = ServerSetup["config"];

export const stdioServer = (...args: string[]): Extract<ServerConfig, { type: "stdio" }> => ({
  type: "stdio",
  command: process.execPath,
  args: [join(import.meta.dir, "stdio-server.ts"), ...args],
  env: {},
});

export const shellServer = (script: string): ServerConfig => ({
  type: "stdio",
  command: "sh",
  args: ["-c", script],
  env: {},
});

export const setup = (
  name: string,
  config: ServerConfig,
  more: Partial<ServerSetup> = {},
): ServerSetup => ({ name, scope: "user", config, isApproved: true, ...more });

const none = async (): Promise<undefined> => undefined;
/** No server was ever logged in to. */
const noLogins: HubOptions["logins"] = {
  silently: () => ({ token: none }),
  interactively: () => {
    throw new Error("No login is expected.");
  },
  forget: () => undefined,
};

const open: Hub[] = [];

/** Closes every hub of the test. */
export const closeHubs = async () =>
  void (await Promise.all(open.splice(0).map((hub) => hub.close())));

export function openHub(servers: ServerSetup[], more: Partial<HubOptions> = {}): Hub {
  const hub = new Hub({
    version: "1.0.0",
    servers,
    cwd: import.meta.dir,
    env: { PATH: process.env["PATH"] ?? "" },
    logins: noLogins,
    timeouts: { connect: 20_000, call: 20_000, wait: 20_000 },
    denied: [],
    saveApproval: () => undefined,
    ...more,
  });
  open.push(hub);
  return hub;
}

/** A hub whose servers have been started, and are connected or have failed. */
export async function connected(...args: Parameters<typeof openHub>): Promise<Hub> {
  const hub = openHub(...args);
  hub.start();
  await hub.settled(20_000);
  return hub;
}

/** Runs a tool of the hub as the toolbox would. */
export async function runTool(
  hub: Hub,
  name: string,
  input: Record<string, unknown> = {},
  signal = new AbortController().signal,
) {
  const tool: Tool<unknown> | undefined =
    name === "ToolSearch" ? hub.searchTool : hub.findTool(name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const run: ToolRun = {
    toolUse: "t",
    path: null,
    ask: async () => ({ allow: false }),
    signal,
    progress: () => undefined,
    background: Promise.withResolvers<void>().promise,
    checkpoint: async () => undefined,
  };
  return tool.run(tool.schema.parse(input), run);
}

/** The text that a tool of the hub answers. */
export const textOf = async (...call: Parameters<typeof runTool>): Promise<string> =>
  blockText((await runTool(...call)).content);
