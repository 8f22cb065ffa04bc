/** `mini-claude mcp`: what each command prints, what it changes, and its mistakes. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { sandbox, type Sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";
import { stdioServer } from "../../extensions/mcp/open-hub.ts";

let box: Sandbox;
beforeEach(async () => {
  box = inProcess(await sandbox("mcp-command"));
});
afterEach(() => box.remove());

async function mcp(...args: string[]): Promise<string> {
  const { code, out, err } = await box.run(["mcp", ...args]);
  if (code !== 0) throw new Error(`${code}: ${err}`);
  return out;
}

const writeProject = (mcpServers: object) =>
  Bun.write(join(box.project, ".mcp.json"), JSON.stringify({ mcpServers }));
const settings = () => Bun.file(join(box.home, "settings.json")).json();

test("a server is added, listed, shown without its values, and removed", async () => {
  const { command, args } = stdioServer();
  await mcp("add", "-s", "user", "-e", "KEY=secret", "small", "--", command, ...args);
  expect((await settings()).mcpServers.small).toMatchObject({
    command,
    args,
    env: { KEY: "secret" },
  });
  expect(await mcp("list")).toMatch(/^small \(user\): .* - connected, 9 tools\n$/);
  const shown = await mcp("get", "small");
  expect(shown).toContain("KEY=***");
  expect(shown).not.toContain("secret");
  expect(await mcp("remove", "small")).toContain("settings.json");
  expect(await mcp("list")).toContain("No MCP servers yet");
  for (const asked of [[], ["add", "--help"]])
    expect(await mcp(...asked)).toStartWith("mini-claude mcp add NAME");
});

test("it is for the user in this project by default, and removed from the only scope that has it", async () => {
  expect(await mcp("add", "docs", "--", "serve")).toBe(
    "Added docs to your own servers of this project.\n",
  );
  expect(await mcp("get", "docs")).toBe("docs\n  scope: local\n  type: stdio\n  serve\n");
  await expect(mcp("add", "docs", "--", "serve")).rejects.toThrow("already exists in the scope");
  await mcp("add", "-s", "user", "docs", "https://docs.test/mcp");
  await expect(mcp("remove", "docs")).rejects.toThrow("in several scopes (local, user)");
  await mcp("remove", "docs", "-s", "local");
  expect(await mcp("get", "docs")).toContain("scope: user\n  type: http\n");
  await mcp("remove", "docs");
  await expect(mcp("get", "docs")).rejects.toThrow("There is no MCP server docs.");
  // Names of JavaScript's own.
  expect(await mcp("add", "constructor", "--", "serve")).toStartWith("Added constructor");
  await expect(mcp("remove", "toString")).rejects.toThrow("There is no MCP server toString.");
});

test.each([
  [
    "-s user -e A=1 B=2 --env=C=3 x -- npx -y pkg D=4 E=5",
    { command: "npx", args: ["-y", "pkg", "D=4", "E=5"], env: { A: "1", B: "2", C: "3" } },
  ],
  ["x -s user npx pkg -y", { command: "npx", args: ["pkg", "-y"] }],
  [
    "-H X-Key:a -s user x https://x.test/mcp",
    { type: "http", url: "https://x.test/mcp", headers: { "X-Key": "a" } },
  ],
  [
    "-t http -s user x https://x.test/mcp -H X-Key:a",
    { type: "http", url: "https://x.test/mcp", headers: { "X-Key": "a" } },
  ],
])("add %s", async (line, config) => {
  await mcp("add", ...line.split(" "));
  expect((await settings()).mcpServers.x).toMatchObject(config);
});

test.each([
  ["add files", "needs a name, and a command or an address"],
  ["add -s everywhere a b", "local, project, user"],
  ["add -t pipe a b", "stdio or http"],
  ["add -t http a b", "b is not an address"],
  ["add --what a b", "Unknown option '--what'"],
  ["add -e wrong a b", "NAME=VALUE"],
  ["add a__b -- true", "cannot be a server's name"],
  ["add-json docs", "needs a name and JSON"],
  ["add-json docs {", "not valid JSON"],
  ["add-json docs {}", "The server "],
  ["login", "needs the name of an HTTP server"],
  ["ad", "Unknown command mcp ad."],
  ["remove", "mcp remove needs a name."],
])("%s is a mistake, and is explained", async (line, words) => {
  const failed = mcp(...line.split(" "));
  await expect(failed).rejects.toThrow("2: ");
  await expect(failed).rejects.toThrow(words);
});

test("login says whether the server is missing, or has no login", async () => {
  await expect(mcp("login", "missing")).rejects.toThrow("There is no MCP server missing.");
  await mcp("add", "here", "--", "true");
  await expect(mcp("login", "here")).rejects.toThrow("here is a program and needs no login");
});

test("add-json takes what a file would hold", async () => {
  const json = '{"type": "http", "url": "https://docs.test/mcp"}';
  expect(await mcp("add-json", "docs", json, "-s", "user")).toContain("Added docs");
  expect(await mcp("get", "docs")).toContain("https://docs.test/mcp");
});

test("a server of the project is used once its folder is trusted and it is approved", async () => {
  await writeProject({ small: stdioServer() });
  expect(await mcp("list")).toContain("No MCP servers yet");
  await expect(mcp("approve")).rejects.toThrow("not trusted. Run mini-claude trust first.");
  await box.run(["trust"]);
  expect(await mcp("list")).toMatch(/small \(project\).*unapproved/);
  expect(await mcp("approve", "small")).toContain("Approved small");
  expect(await mcp("list")).toContain("connected");
  await writeProject({ small: { command: "true" } });
  expect(await mcp("list")).toContain("unapproved");
});

test("a server that you add to the project is approved; its file keeps the rest, and a link is left alone", async () => {
  await box.run(["trust"]);
  const file = join(box.project, ".mcp.json");
  const ours = '{\r\n\t"version": 1.0, // ours\r\n\t"mcpServers": {}\r\n}\n';
  await Bun.write(file, ours);
  await mcp("add", "-s", "project", "mine", "--", "true");
  expect(await Bun.file(file).text()).toStartWith(ours.split("{}")[0] ?? "");
  expect(await mcp("approve")).toContain("No server needs approval in ");
  await writeProject({ one: { command: "true" }, two: { command: "true" } });
  expect(await mcp("approve", "two")).toBe("Approved two: true\n");
  expect(await mcp("approve")).toBe("Approved one: true\n");
  expect(await mcp("reset-project-choices")).toContain("need approval again");
  expect(await mcp("approve")).toBe("Approved one: true\nApproved two: true\n");
  const add = () => mcp("add", "-s", "project", "b", "--", "true");
  await Bun.write(file, "not JSON");
  await expect(add()).rejects.toThrow("not a JSON object");
  await writeProject({});
  renameSync(file, `${file}.linked`);
  symlinkSync(`${file}.linked`, file);
  await expect(add()).rejects.toThrow("is not a regular file");
});

test("what a project's server is given is shown whole, and cannot pass for other words", async () => {
  await box.run(["trust"]);
  await writeProject({
    evil: {
      command: "npx",
      args: ["a b", "x\n\u001b[2Jok"],
      env: { NODE_OPTIONS: "--require ./a" },
    },
  });
  expect(await mcp("approve")).toBe(
    'Approved evil: "NODE_OPTIONS=--require ./a" npx "a b" "x\\n\\u001b[2Jok"\n',
  );
});

test("list says why a server is not connected, or not one, on a line each", async () => {
  const odd = { type: "pigeon" };
  await Bun.write(join(box.root, "home/.claude.json"), JSON.stringify({ mcpServers: { odd } }));
  await mcp("add", "broken", "--", join(box.project, "no-such-program"));
  expect(await mcp("list")).toMatch(
    /^[^\n]*odd[^\n]*\nbroken \(local\): \S*no-such-program - failed: [^\n]+\n$/,
  );
});

test("--logout forgets a login", async () => {
  await mcp("add", "web", "https://docs.test/mcp");
  const file = join(box.home, "mcp-logins.json");
  await Bun.write(file, '{"https://docs.test/mcp": {"redirectUrl": "http://localhost:1/"}}');
  expect(await mcp("login", "web", "--logout")).toBe("Logged out of web.\n");
  expect(await Bun.file(file).json()).toEqual({});
});
