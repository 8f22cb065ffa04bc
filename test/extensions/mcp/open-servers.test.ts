/** Which servers a session opens. */

import { beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { folders, openServices } from "../../app/services/open.ts";
import { runTool, stdioServer, textOf } from "./open-hub.ts";

const newFolders = folders("open-servers");

let home = "";
let cwd = "";
beforeEach(() => {
  ({ home, cwd } = newFolders());
});

/** Opened with the test's configuration files; servers are listed, but none is started. */
async function open(args: string[] = ["--trust"], env: Record<string, string> = {}) {
  const opened = await openServices({ home, cwd, args, env });
  const hub = opened.run.mcp;
  const commands = Object.fromEntries(
    (hub?.servers ?? []).map(({ name, scope, config }) => [
      name,
      `${scope}: ${"command" in config ? config.command : config.type}`,
    ]),
  );
  return { ...opened, hub, names: hub?.servers.map(({ name }) => name), commands };
}

const by = (command: string) => ({ command });
const write = (path: string, mcpServers: object, more = {}) =>
  Bun.write(join(home, path), JSON.stringify({ ...more, mcpServers }));
const own = (servers: object) => write(".mini-claude/settings.json", servers);
const ofProject = (servers: object) => write("work/project/.mcp.json", servers);
const byFlag = (servers: object) => `--mcp-config=${JSON.stringify({ mcpServers: servers })}`;

test("without any configuration there are no servers and no notices", async () => {
  expect(await open()).toMatchObject({ hub: null, notices: [] });
});

test("the user's servers, those of Claude Code, and those of flags", async () => {
  await write(".claude.json", { theirs: by("true") });
  await own({ mine: by("true") });
  const flag = byFlag({ flag: by("true") });
  expect((await open([flag])).names?.sort()).toEqual(["flag", "mine", "theirs"]);
  expect((await open([flag, "--strict-mcp-config"])).names).toEqual(["flag"]);
  expect((await open(["--strict-mcp-config"])).hub).toBeNull();
  expect((await open(["--setting-sources=project,local"])).hub).toBeNull();
});

test("servers of a trusted project wait for approval, each in its own form, and the notice says so", async () => {
  await ofProject({ ours: by("true") });
  const { names, notices, hub } = await open();
  expect(names).toEqual(["ours"]);
  expect(hub?.servers[0]?.state).toBe("unapproved");
  expect(notices).toEqual([expect.stringContaining("need your approval: ours.")]);
  await hub?.approve("ours");
  const again = await open();
  expect(again.notices).toEqual([]);
  expect(again.hub?.servers[0]?.state).toBe("waiting");
  await ofProject({ ours: { ...by("true"), args: ["--evil"] } });
  expect((await open()).hub?.servers[0]?.state).toBe("unapproved");
});

test("nothing of a project is read without trust, or where flags leave it out", async () => {
  await ofProject({ ours: by("true") });
  expect((await open([])).hub).toBeNull();
  expect((await open(["--trust", "--setting-sources=user"])).hub).toBeNull();
});

test("flags outrank local servers, these the project's, those the user's, and Claude Code's come last", async () => {
  await own({ shared: by("user"), own: by("user") });
  await ofProject({ shared: by("project"), team: by("project") });
  const projects = { [cwd]: { mcpServers: { theirs: by("here") } } };
  const ofClaude = { own: by("claude"), theirs: by("all") };
  await write(".claude.json", ofClaude, { numStartups: 7, projects });
  expect((await open()).commands).toEqual({
    shared: "project: project",
    team: "project: project",
    own: "user: user",
    theirs: "local: here",
  });
  const local = { projects: { [cwd]: { mcpServers: { shared: by("local") } } } };
  await Bun.write(join(home, ".mini-claude/mcp.json"), JSON.stringify(local));
  expect((await open()).commands["shared"]).toBe("local: local");
  const flag = byFlag({ shared: by("flag") });
  expect((await open(["--trust", flag])).commands["shared"]).toBe("flag: flag");
  await write("work/project/more.json", { more: by("file") });
  expect((await open(["--mcp-config=more.json"])).commands["more"]).toBe("flag: file");
});

test("what is not valid is named and left out; a flag that cannot be read ends the start", async () => {
  await own({ good: by("x"), web: { url: "https://x.test" }, bad: {}, a__b: by("x") });
  const { names, notices } = await open();
  expect(names).toEqual(["good", "web"]);
  expect(notices).toHaveLength(2);
  expect(notices[0]).toBe(
    'The settings: the MCP server "bad" needs a “command” with “args”, or a “url” with “type”: “http”; it is ignored.',
  );
  await expect(open(["--mcp-config=missing.json"])).rejects.toThrow("missing.json cannot be read");
  await expect(open(["--mcp-config={"])).rejects.toThrow("has no “mcpServers”");
});

test("a configuration that is damaged is reported", async () => {
  await Bun.write(join(home, ".mini-claude/mcp.json"), "{");
  await own({ mine: by("true") });
  const { names, notices } = await open([]);
  expect(names).toEqual(["mine"]);
  expect(notices).toContainEqual(expect.stringContaining("mcp.json is damaged."));
});

const waiting = (env: Record<string, string>, ...args: string[]) =>
  open([byFlag({ small: stdioServer(...args) })], env).then(async ({ hub }) => {
    if (!hub) throw new Error("There is no server.");
    hub.start();
    await hub.settled(20_000);
    return hub;
  });

test("the time to connect and for a call are those of the environment, if they are valid", async () => {
  const slow = await waiting({ MCP_TIMEOUT: "1" }, "--silent");
  expect(slow.servers[0]?.state).toBe("failed");
  const brief = await waiting({ MCP_TOOL_TIMEOUT: "1" });
  await expect(runTool(brief, "mcp__small__hang")).rejects.toThrow("failed: ");
  const usual = await waiting({ MCP_TIMEOUT: "0", MCP_TOOL_TIMEOUT: "soon" });
  expect(await textOf(usual, "mcp__small__echo", { text: "hi" })).toBe("hi");
});
