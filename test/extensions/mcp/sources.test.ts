/** Where servers are configured, and what their configuration may contain. */

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expandConfig, parseServers, shownConfig } from "../../../src/extensions/mcp/config.ts";
import { toolName } from "../../../src/extensions/mcp/listing.ts";
import {
  collectServers,
  type ServerSources,
  stateFile,
} from "../../../src/extensions/mcp/sources.ts";

const root = mkdtempSync(join(tmpdir(), "mcp-sources-"));
afterAll(() => rmSync(root, { recursive: true }));

const command = (name: string) => ({ command: name });
const state = stateFile(join(root, "mcp.json"));

const collect = (more: Partial<ServerSources> = {}) =>
  collectServers({
    user: { shared: command("user"), own: command("user") },
    claudeCode: null,
    project: { root, folder: root },
    root,
    state,
    flags: [],
    strict: false,
    cwd: root,
    ...more,
  });

const listCommands = async (more?: Partial<ServerSources>) =>
  Object.fromEntries(
    (await collect(more)).servers.map(({ name, config, scope }) => [
      name,
      `${scope}: ${config.type === "stdio" ? config.command : config.type}`,
    ]),
  );

test("flags outrank local servers, these the project's, and those the user's", async () => {
  writeFileSync(
    join(root, ".mcp.json"),
    JSON.stringify({ mcpServers: { shared: command("project"), team: command("project") } }),
  );
  expect(await listCommands()).toEqual({
    shared: "project: project",
    team: "project: project",
    own: "user: user",
  });
  state.saveLocal(root, { shared: command("local") });
  expect((await listCommands())["shared"]).toBe("local: local");
  const flags = [JSON.stringify({ mcpServers: { shared: command("flag") } })];
  expect((await listCommands({ flags }))["shared"]).toBe("flag: flag");
  expect(await listCommands({ flags, strict: true })).toEqual({ shared: "flag: flag" });
  expect((await listCommands({ project: null }))["team"]).toBeUndefined();
});

test("servers of Claude Code come last, those of this project before those of all", async () => {
  const file = join(root, ".claude.json");
  const more = {
    mcpServers: { own: command("claude"), theirs: command("all") },
    projects: { [root]: { mcpServers: { theirs: command("here") } }, "/else": { mcpServers: {} } },
  };
  writeFileSync(file, JSON.stringify({ numStartups: 7, ...more }));
  const commands = await listCommands({ claudeCode: file });
  expect(commands).toMatchObject({ own: "user: user", theirs: "local: here" });
  writeFileSync(file, "not JSON");
  expect((await listCommands({ claudeCode: file }))["theirs"]).toBeUndefined();
});

test("a damaged file of approvals is reported, and the other servers are kept", async () => {
  const damaged = join(root, "damaged.json");
  writeFileSync(damaged, "{");
  const { servers, problems } = await collect({ state: stateFile(damaged) });
  expect(problems).toEqual([`${damaged} is damaged. Correct it or remove it.`]);
  expect(servers.map(({ name }) => name)).toContain("own");
});

test("only the project's servers need approval, of this very configuration", async () => {
  const approved = async () =>
    (await collect()).servers.filter(({ isApproved }) => isApproved).map(({ name }) => name);
  expect(await approved()).not.toContain("team");
  const { servers } = await collect();
  const team = servers.find(({ name }) => name === "team");
  if (team) state.approve(root, "team", team.config);
  expect(await approved()).toContain("team");
  writeFileSync(
    join(root, ".mcp.json"),
    JSON.stringify({ mcpServers: { team: { ...command("project"), args: ["--evil"] } } }),
  );
  expect(await approved()).not.toContain("team");
});

test("a flag that cannot be read ends the start", async () => {
  await expect(collect({ flags: ["missing.json"] })).rejects.toThrow("missing.json cannot be read");
  await expect(collect({ flags: ["{"] })).rejects.toThrow("has no “mcpServers”");
});

test("an invalid server is named and left out", () => {
  const { servers, problems } = parseServers(
    {
      mcpServers: {
        good: { command: "x" },
        web: { url: "https://x.test" },
        bad: {},
        a__b: { command: "x" },
        "a b": { command: "x" },
      },
    },
    "here",
  );
  expect([...servers.keys()]).toEqual(["good", "web"]);
  expect(problems).toHaveLength(3);
  expect(problems[0]).toBe(
    'here: the MCP server "bad" needs a “command” with “args”, or a “url” with “type”: “http”; it is ignored.',
  );
});

test("servers over HTTP are named by their way to transport; the rest has defaults", () => {
  const of = (value: unknown) =>
    parseServers({ mcpServers: { a: value } }, "here").servers.get("a");
  const url = "https://x.test";
  expect(of({ url })).toEqual({ type: "http", url, headers: {} });
  expect(of({ url, type: "streamable-http" })).toMatchObject({ type: "http" });
  expect(of({ url, type: "sse" })).toBeUndefined();
  expect(of({ command: "x" })).toEqual({ type: "stdio", command: "x", args: [], env: {} });
  expect(of({ type: "sdk", name: "a" })).toEqual({ type: "sdk" });
  expect(of({ command: "" })).toBeUndefined();
});

test("a file names at most 100 servers, each by at most 64 characters", () => {
  const named = (names: string[]) =>
    parseServers(
      { mcpServers: Object.fromEntries(names.map((name) => [name, command("x")])) },
      "f",
    );
  const { servers, problems } = named(Array.from({ length: 101 }, (_, at) => `n${at}`));
  expect([servers.size, problems]).toEqual([
    100,
    ["f names 101 MCP servers; those after the first 100 are not used."],
  ]);
  expect(named(["x".repeat(64), "x".repeat(65), "-a", "a_", "a"]).servers.size).toBe(2);
});

test("approvals are forgotten for one project alone, and its local servers stay", () => {
  const own = stateFile(join(root, "forget.json"));
  const config = { type: "stdio" as const, command: "x", args: [], env: {} };
  own.saveLocal("/a", { mine: command("x") });
  for (const project of ["/a", "/b"]) own.approve(project, "team", config);
  expect(own.localServers("/a")).toEqual({ mine: command("x") });
  own.forgetApprovals("/a");
  expect(own.isApproved("/a", "team", config)).toBe(false);
  expect(own.isApproved("/b", "team", config)).toBe(true);
  expect(own.localServers("/a")).toEqual({ mine: command("x") });
});

test("the file of the opened folder outranks that of the root; a flag may name a file", async () => {
  const folder = mkdtempSync(join(root, "folder-"));
  const write = (path: string, servers: object) =>
    writeFileSync(path, JSON.stringify({ mcpServers: servers }));
  write(join(root, ".mcp.json"), { team: command("root"), upper: command("root") });
  write(join(folder, ".mcp.json"), { team: command("folder") });
  write(join(folder, "more.json"), { more: command("file") });
  const flags = ["more.json"];
  expect(await listCommands({ project: { root, folder }, flags, cwd: folder })).toMatchObject({
    team: "project: folder",
    upper: "project: root",
    more: "flag: file",
  });
});

test("variables are filled in everywhere, with defaults", () => {
  const env = { HOME: "/me", EMPTY: "" };
  expect(
    expandConfig(
      {
        type: "stdio",
        command: "${HOME}/bin",
        args: ["${NONE:-a b}", "$HOME"],
        env: { A: "${EMPTY:-x}" },
      },
      env,
    ),
  ).toEqual({ type: "stdio", command: "/me/bin", args: ["a b", "$HOME"], env: { A: "x" } });
  expect(() => expandConfig({ type: "http", url: "https://${HOST}", headers: {} }, env)).toThrow(
    "The variable HOST is not set.",
  );
});

test("names of tools fit every API and stay distinct", () => {
  expect(toolName("s", "a.b/c")).toBe("mcp__s__a_b_c");
  const long = toolName("server", "x".repeat(100));
  expect(long).toHaveLength(64);
  expect(toolName("server", "x".repeat(101))).not.toBe(long);
});

test("a project's server is shown with all that it is given, the user's own without values", () => {
  const config = {
    type: "stdio" as const,
    command: "npx",
    args: ["serve", "a b", "x\n\u001b[2Jgood (user): ok"],
    env: { NODE_OPTIONS: "--require ./a.js" },
  };
  const rest = 'npx serve "a b" "x\\n\\u001b[2Jgood (user): ok"';
  expect(shownConfig({ config, scope: "project" })).toBe(`"NODE_OPTIONS=--require ./a.js" ${rest}`);
  expect(shownConfig({ config, scope: "user" })).toBe(`NODE_OPTIONS=*** ${rest}`);
  const headers = { "X-Token": "${SECRET}" };
  const web = { type: "http" as const, url: "https://a.b", headers };
  expect(shownConfig({ config: web, scope: "project" })).toBe("https://a.b X-Token=${SECRET}");
});
