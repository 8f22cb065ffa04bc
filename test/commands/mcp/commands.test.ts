/** Each command of `mini-claude mcp`: what it prints, what it changes, and its mistakes. */

import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../src/commands/mcp/mcp.ts";
import { pathsFor } from "../../../src/config/paths.ts";
import { UsageError } from "../../../src/config/usage-error.ts";
import { saveTrust } from "../../../src/trust/project/approvals.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "mcp-commands-")));
afterAll(() => rmSync(base, { recursive: true }));

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(base, "project-"));
});

const pathsHere = () => pathsFor({ HOME: base, MINI_CLAUDE_HOME: join(cwd, "home") }, cwd);

async function mcp(...args: string[]): Promise<string> {
  let text = "";
  const out = (more: string): void => void (text += more);
  const env = { HOME: base, MINI_CLAUDE_HOME: join(cwd, "home") };
  expect(await run(args, { paths: pathsHere(), env, cwd, out, err: out })).toBe(0);
  return text;
}

test("a server is added for the user in this project by default, and removed from the only scope that has it", async () => {
  expect(await mcp("add", "docs", "--", "serve")).toBe(
    "Added docs to your own servers of this project.\n",
  );
  expect(await mcp("get", "docs")).toBe("docs\n  scope: local\n  type: stdio\n  serve\n");
  await expect(mcp("add", "docs", "--", "serve")).rejects.toThrow("already exists in the scope");
  await mcp("add", "-s", "user", "docs", "https://docs.test/mcp");
  await expect(mcp("remove", "docs")).rejects.toThrow("in several scopes (local, user)");
  expect(await mcp("remove", "docs", "-s", "local")).toStartWith("Removed docs from your own");
  expect(await mcp("get", "docs")).toContain("scope: user\n  type: http\n");
  expect(await mcp("remove", "docs")).toContain("settings.json");
  await expect(mcp("get", "docs")).rejects.toThrow("There is no MCP server docs.");
});

test("a name of JavaScript's own is a name like any other", async () => {
  expect(await mcp("add", "constructor", "--", "serve")).toStartWith("Added constructor");
  await expect(mcp("remove", "toString")).rejects.toThrow("There is no MCP server toString.");
});

test("add-json takes what a file would hold", async () => {
  const json = '{"type": "http", "url": "https://docs.test/mcp"}';
  expect(await mcp("add-json", "docs", json, "-s", "user")).toContain("Added docs");
  expect(await mcp("get", "docs")).toContain("https://docs.test/mcp");
  for (const [args, words] of [
    [["docs"], "needs a name and JSON"],
    [["docs", "{"], "not valid JSON"],
    [["docs", "{}"], "The server "],
    [["docs", json, "-s", "everywhere"], "The scope must be one of local, project, user"],
  ] as const) {
    const failed = mcp("add-json", ...args);
    await expect(failed).rejects.toThrow(UsageError);
    await expect(failed).rejects.toThrow(words);
  }
});

test("a server that you add to the project is approved; others wait until you approve them", async () => {
  saveTrust(pathsHere().trust, cwd, "trusted");
  await mcp("add", "-s", "project", "mine", "--", "true");
  expect(await mcp("approve")).toBe(`No server needs approval in ${join(cwd, ".mcp.json")}.\n`);
  const servers = { one: { command: "true" }, two: { command: "true" } };
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  expect(await mcp("approve", "two")).toBe("Approved two: true\n");
  expect(await mcp("approve")).toBe("Approved one: true\n");
  expect(await mcp("approve", "--reset")).toContain("need approval again");
  expect(await mcp("approve")).toBe("Approved one: true\nApproved two: true\n");
  expect(await mcp("reset-project-choices")).toContain("need approval again");
  expect(await mcp("list")).toContain("one (project): true - unapproved");
});

test("nothing of a folder is approved before it is trusted", async () => {
  writeFileSync(join(cwd, ".mcp.json"), '{"mcpServers": {"one": {"command": "true"}}}');
  await expect(mcp("approve")).rejects.toThrow("not trusted. Run mini-claude trust first.");
});

test("list says why a server is not connected, on one line", async () => {
  await mcp("add", "broken", "--", join(cwd, "no-such-program"));
  const listed = await mcp("list");
  expect(listed).toMatch(/^broken \(local\): \S*no-such-program - failed: [^\n]+\n$/);
});

test("login is for HTTP servers; --logout forgets one", async () => {
  await mcp("add", "local", "--", "serve");
  for (const name of ["local", "missing"])
    await expect(mcp("login", name)).rejects.toThrow("needs the name of an HTTP server");
  await mcp("add", "web", "https://docs.test/mcp");
  const logins = { "https://docs.test/mcp": { redirectUrl: "http://localhost:1/" } };
  await Bun.write(pathsHere().mcpLogins, JSON.stringify(logins));
  expect(await mcp("login", "web", "--logout")).toBe("Logged out of web.\n");
  expect(await Bun.file(pathsHere().mcpLogins).json()).toEqual({});
});

test("help comes with no command, and for each one", async () => {
  const help = await mcp();
  expect(help).toStartWith("mini-claude mcp add NAME");
  for (const args of [["help"], ["-h"], ["--help"], ["add", "--help"], ["list", "-h"]])
    expect(await mcp(...args)).toBe(help);
  await expect(mcp("ad")).rejects.toThrow("Unknown command mcp ad.");
  await expect(mcp("remove")).rejects.toThrow("mcp remove needs a name.");
});
