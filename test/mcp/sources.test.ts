/** Where servers are configured, and what their configuration may contain. */

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expandConfig, parseServers, shownConfig } from "../../src/mcp/config.ts";
import { toolName } from "../../src/mcp/names.ts";
import { collectServers, type ServerSources } from "../../src/mcp/sources.ts";
import { StateFile } from "../../src/mcp/state-file.ts";

const root = mkdtempSync(join(tmpdir(), "mcp-sources-"));
afterAll(() => rmSync(root, { recursive: true }));

const command = (name: string) => ({ command: name });
const state = new StateFile(join(root, "mcp.json"));

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

const commandsOf = async (more?: Partial<ServerSources>) =>
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
  expect(await commandsOf()).toEqual({
    shared: "project: project",
    team: "project: project",
    own: "user: user",
  });
  state.saveLocal(root, { shared: command("local") });
  expect((await commandsOf())["shared"]).toBe("local: local");
  const flags = [JSON.stringify({ mcpServers: { shared: command("flag") } })];
  expect((await commandsOf({ flags }))["shared"]).toBe("flag: flag");
  expect(await commandsOf({ flags, strict: true })).toEqual({ shared: "flag: flag" });
  expect((await commandsOf({ project: null }))["team"]).toBeUndefined();
});

test("servers of Claude Code come last, those of this project before those of all", async () => {
  const file = join(root, ".claude.json");
  const more = {
    mcpServers: { own: command("claude"), theirs: command("all") },
    projects: { [root]: { mcpServers: { theirs: command("here") } }, "/else": { mcpServers: {} } },
  };
  writeFileSync(file, JSON.stringify({ numStartups: 7, ...more }));
  const commands = await commandsOf({ claudeCode: file });
  expect(commands).toMatchObject({ own: "user: user", theirs: "local: here" });
  writeFileSync(file, "not JSON");
  expect((await commandsOf({ claudeCode: file }))["theirs"]).toBeUndefined();
});

test("a damaged file of approvals is reported, and the other servers are kept", async () => {
  const damaged = join(root, "damaged.json");
  writeFileSync(damaged, "{");
  const { servers, problems } = await collect({ state: new StateFile(damaged) });
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
