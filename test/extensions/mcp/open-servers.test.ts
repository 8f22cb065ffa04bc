/** Which servers a session opens, and which it shares with its subagents. */

import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathsFor } from "../../../src/config/paths.ts";
import { defaultSettings } from "../../../src/config/settings.ts";
import { settingSources, type SettingSource } from "../../../src/config/flags.ts";
import {
  openServers,
  sharedServers,
  readTimeouts,
} from "../../../src/extensions/mcp/open-servers.ts";
import { memoryTransport } from "./memory-transport.ts";
import { openHub, setup } from "./open-hub.ts";

const base = mkdtempSync(join(tmpdir(), "open-servers-"));
afterAll(() => rmSync(base, { recursive: true }));

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(base, "project-"));
});

const servers = (name: string) => ({ [name]: { command: "true" } });

type Changes = {
  user?: Record<string, unknown>;
  isTrusted?: boolean;
  sources?: readonly SettingSource[];
  configs?: string[];
  strict?: boolean;
  deny?: string[];
};

/** Opened with the test's configuration files; servers are listed, but none is started. */
async function open(changes: Changes = {}) {
  const { user = {}, isTrusted = true, sources = settingSources } = changes;
  const { configs = [], strict = false, deny = [] } = changes;
  const paths = pathsFor({ HOME: root, MINI_CLAUDE_HOME: join(root, "home") }, root);
  const permissions = { ...defaultSettings.permissions, deny };
  const opened = await openServers(
    {
      flags: { sources, mcp: { configs, strict } },
      settings: { ...defaultSettings, mcpServers: user, permissions },
      paths,
      project: { root, folder: root, isTrusted },
      cwd: root,
      env: {},
    },
    {},
  );
  return { ...opened, names: opened.hub?.servers.map(({ name }) => name) };
}

const project = () =>
  writeFileSync(join(root, ".mcp.json"), JSON.stringify({ mcpServers: servers("ours") }));
const claudeCode = () =>
  writeFileSync(join(root, ".claude.json"), JSON.stringify({ mcpServers: servers("theirs") }));

test("without any configuration there are no servers and no notices", async () => {
  expect(await open()).toMatchObject({ hub: null, notices: [] });
});

test("the user's servers, those of Claude Code, and those of flags", async () => {
  claudeCode();
  const configs = [JSON.stringify({ mcpServers: servers("flag") })];
  expect((await open({ user: servers("mine"), configs })).names?.sort()).toEqual([
    "flag",
    "mine",
    "theirs",
  ]);
  expect((await open({ user: servers("mine"), configs, strict: true })).names).toEqual(["flag"]);
  expect((await open({ user: servers("mine"), strict: true })).hub).toBeNull();
  const sources = ["project", "local"] as const;
  expect((await open({ user: servers("mine"), sources })).hub).toBeNull();
});

test("one server in the user's settings is enough", async () => {
  expect((await open({ user: servers("mine") })).names).toEqual(["mine"]);
});

test("servers of a trusted project wait for approval, and the notice says so", async () => {
  project();
  const { names, notices, hub } = await open();
  expect(names).toEqual(["ours"]);
  expect(hub?.servers[0]?.state).toBe("unapproved");
  expect(notices).toEqual([expect.stringContaining("need your approval: ours.")]);
  await hub?.approve("ours");
  await hub?.close();
  const again = await open();
  expect(again.notices).toEqual([]);
  expect(again.hub?.servers[0]?.state).toBe("waiting");
});

test("nothing of a project is read without trust, or where flags leave it out", async () => {
  project();
  expect((await open({ isTrusted: false })).hub).toBeNull();
  expect((await open({ sources: ["user"] })).hub).toBeNull();
});

test("a configuration that is damaged is reported", async () => {
  mkdirSync(join(root, "home"));
  writeFileSync(join(root, ".mcp.json"), "{");
  const { hub, notices } = await open();
  expect(hub).toBeNull();
  expect(notices).toEqual([expect.stringContaining(".mcp.json")]);
});

test("a subagent shares them all, or those that its tools name", async () => {
  const hub = openHub([setup("small", { type: "sdk" })]);
  await hub.connect("small", memoryTransport());
  const names = (only?: readonly string[]) =>
    sharedServers(hub, only)
      .hub?.tools()
      .map(({ name }) => name);
  expect(sharedServers(hub, undefined).hub).toBe(hub);
  expect(names(["Read", "mcp__small__echo"])).toEqual(["mcp__small__echo"]);
  expect(names(["Read"])).toBeUndefined();
  expect(sharedServers(null, undefined).hub).toBeNull();
  await hub.close();
});

test.each([
  [{}, { connect: 30_000, call: 600_000, wait: 10_000 }],
  [
    { MCP_TIMEOUT: "1", MCP_TOOL_TIMEOUT: "5000" },
    { connect: 1, call: 5_000, wait: 10_000 },
  ],
  [
    { MCP_TIMEOUT: "0", MCP_TOOL_TIMEOUT: "soon" },
    { connect: 30_000, call: 600_000 },
  ],
  [
    { MCP_TIMEOUT: "1.5", MCP_TOOL_TIMEOUT: "" },
    { connect: 30_000, call: 600_000 },
  ],
])("timeouts from %j", (env, timeouts) => {
  expect(readTimeouts(env)).toMatchObject(timeouts);
});
