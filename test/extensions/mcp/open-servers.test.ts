/** Which servers a session opens, and which it shares with its subagents. */

import { beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
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
import { testFolder } from "../../folder.ts";

const base = testFolder("open-servers");

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
  const all = opened.hub?.servers ?? [];
  const commands = Object.fromEntries(
    all.map(({ name, scope, config }) => [
      name,
      `${scope}: ${"command" in config ? config.command : config.type}`,
    ]),
  );
  return { ...opened, names: opened.hub?.servers.map(({ name }) => name), commands };
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

test("servers of a trusted project wait for approval, each in its own form, and the notice says so", async () => {
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
  await write(".mcp.json", { ours: { ...by("true"), args: ["--evil"] } });
  expect((await open()).hub?.servers[0]?.state).toBe("unapproved");
});

test("nothing of a project is read without trust, or where flags leave it out", async () => {
  project();
  expect((await open({ isTrusted: false })).hub).toBeNull();
  expect((await open({ sources: ["user"] })).hub).toBeNull();
});

const write = (path: string, servers: object, more = {}) =>
  Bun.write(join(root, path), JSON.stringify({ ...more, mcpServers: servers }));
const by = (command: string) => ({ command });

test("flags outrank local servers, these the project's, those the user's, and Claude Code's come last", async () => {
  const user = { shared: by("user"), own: by("user") };
  await write(".mcp.json", { shared: by("project"), team: by("project") });
  const projects = { [root]: { mcpServers: { theirs: by("here") } } };
  const ofClaude = { own: by("claude"), theirs: by("all") };
  await write(".claude.json", ofClaude, { numStartups: 7, projects });
  expect((await open({ user })).commands).toEqual({
    shared: "project: project",
    team: "project: project",
    own: "user: user",
    theirs: "local: here",
  });
  const local = { projects: { [root]: { mcpServers: { shared: by("local") } } } };
  await Bun.write(join(root, "home/mcp.json"), JSON.stringify(local));
  expect((await open({ user })).commands["shared"]).toBe("local: local");
  const configs = [JSON.stringify({ mcpServers: { shared: by("flag") } })];
  expect((await open({ user, configs })).commands["shared"]).toBe("flag: flag");
  await write("more.json", { more: by("file") });
  expect((await open({ configs: ["more.json"] })).commands["more"]).toBe("flag: file");
});

test("what is not valid is named and left out; a flag that cannot be read ends the start", async () => {
  const user = { good: by("x"), web: { url: "https://x.test" }, bad: {}, a__b: by("x") };
  const { names, notices } = await open({ user });
  expect(names).toEqual(["good", "web"]);
  expect(notices).toHaveLength(2);
  expect(notices[0]).toBe(
    'The settings: the MCP server "bad" needs a “command” with “args”, or a “url” with “type”: “http”; it is ignored.',
  );
  await expect(open({ configs: ["missing.json"] })).rejects.toThrow("missing.json cannot be read");
  await expect(open({ configs: ["{"] })).rejects.toThrow("has no “mcpServers”");
});

test("a configuration that is damaged is reported", async () => {
  mkdirSync(join(root, "home"));
  writeFileSync(join(root, ".mcp.json"), "{");
  const { hub, notices } = await open();
  expect(hub).toBeNull();
  expect(notices).toEqual([expect.stringContaining(".mcp.json")]);
  writeFileSync(join(root, "home/mcp.json"), "{");
  const damaged = await open({ user: servers("mine") });
  expect(damaged.names).toEqual(["mine"]);
  expect(damaged.notices).toContainEqual(expect.stringContaining("mcp.json is damaged."));
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
])("timeouts from %j", (env, timeouts) => {
  expect(readTimeouts(env)).toMatchObject(timeouts);
});
