/** OAuth: logging in, using the tokens in later sessions, renewing them, and logging out. */

import { afterAll, afterEach, expect, mock, spyOn, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { startOAuthServer } from "./oauth-server.ts";
import type { Hub } from "../../../src/extensions/mcp/hub.ts";
import { folders, openServices } from "../../app/services/open.ts";
import { spawnInProcess } from "../../in-process.ts";
import { textOf } from "./open-hub.ts";

const server = startOAuthServer();
afterAll(async () => {
  await server.stop();
});

const { home, cwd } = folders("mcp-login")();
const web = { type: "http", url: server.url };
await Bun.write(join(home, ".mini-claude/settings.json"), JSON.stringify({ mcpServers: { web } }));
const logins = join(home, ".mini-claude/mcp-logins.json");

afterEach(async () => {
  mock.restore();
  await mcp(() => undefined, "--logout");
});

/** The server in a new session. */
async function connected(): Promise<Hub> {
  const hub = (await openServices({ home, cwd })).run.mcp;
  if (!hub) throw new Error("There is no server.");
  hub.start();
  await hub.settled(20_000);
  return hub;
}

const readState = async () => (await connected()).servers[0]?.state;

/** The user's browser, which follows the redirects. */
const browse = (url: URL): void => void fetch(url);

/** `mini-claude mcp login web`: what it says in the end. `show` gets the address that it names. */
async function mcp(show: (url: URL) => void, ...flags: string[]): Promise<string> {
  const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
  const child = spawnInProcess({ env, project: cwd }, ["mcp", "login", "web", ...flags]);
  void child.stdin.end();
  let said = "";
  for await (const bytes of child.stdout) {
    const text = Buffer.from(bytes).toString();
    const address = /^http.*$/m.exec(text)?.[0];
    if (address !== undefined) show(new URL(address));
    said = text;
  }
  return said + (await child.stderr.text());
}

const logIn = (show = browse) => mcp(show);
const done = "Logged in to web.\n";

test("a login is asked for, made in the browser, kept, renewed and forgotten", async () => {
  expect(await readState()).toBe("login");
  expect(server.grants).toEqual([]);
  const others = { "https://other.test/mcp": { redirectUrl: "http://localhost:1/" } };
  await Bun.write(logins, JSON.stringify(others));
  expect(await logIn()).toBe(done);
  expect(server.grants).toEqual(["authorization_code"]);
  expect(statSync(logins).mode & 0o777).toBe(0o600);
  expect(await readState()).toBe("connected");
  server.expire();
  expect(await readState()).toBe("connected");
  expect(server.grants).toEqual(["authorization_code", "refresh_token"]);
  expect(await mcp(browse, "--logout")).toBe("Logged out of web.\n");
  expect(await Bun.file(logins).json()).toEqual(others);
  expect(await readState()).toBe("login");
});

test("an answer that does not match this login is refused and does not end it", async () => {
  const seen: number[] = [];
  const forge = async (url: URL): Promise<void> => {
    const forged = [{ state: "another" }, { state: "" }, {}, { error: "access_denied" }];
    for (const more of forged) {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.search = String(new URLSearchParams({ code: "stolen", ...more }));
      seen.push((await fetch(back)).status);
    }
    browse(url);
  };
  expect(await logIn((url) => void forge(url))).toBe(done);
  expect(seen).toEqual([400, 400, 400, 400]);
  expect(await readState()).toBe("connected");
});

test("the code of a login goes to the server that the browser was sent to", async () => {
  const other = startOAuthServer();
  const redirect = (url: URL): void => {
    server.move(new URL(other.url).origin);
    browse(url);
  };
  expect(await logIn(redirect)).toBe(done);
  server.move(null);
  expect(other.grants).toEqual([]);
  await other.stop();
});

test("a login without an answer times out, and its address is closed", async () => {
  let address = "";
  const { setTimeout: later } = globalThis;
  const soon = (run: () => void, ms?: number) => later(run, ms === 5 * 60_000 ? 1 : ms);
  spyOn(globalThis, "setTimeout").mockImplementation(Object.assign(soon, later));
  expect(
    await logIn((url) => {
      address = url.searchParams.get("redirect_uri") ?? "";
    }),
  ).toContain("The login timed out.");
  await expect(fetch(address)).rejects.toThrow();
});

const echo = async (hub: Hub): Promise<string> =>
  await textOf(hub, "mcp__web__echo", { text: "hi" });

test("calls that find the token expired together renew it once, and another process takes the new one", async () => {
  await logIn();
  const [hub, other] = [await connected(), await connected()];
  server.grants.length = 0;
  server.expire();
  expect(await Promise.all([echo(hub), echo(hub), echo(hub)])).toEqual(["hi", "hi", "hi"]);
  expect(await echo(other)).toBe("hi");
  expect(server.grants).toEqual(["refresh_token"]);
});

test("a token that is not renewed in the middle of a session says how to log in; the call after that works", async () => {
  await logIn();
  const hub = await connected();
  server.expire();
  server.refuse(true);
  await expect(echo(hub)).rejects.toThrow(
    "The MCP server web is not available. Log in with: mini-claude mcp login web",
  );
  expect(hub.servers[0]?.state).toBe("login");
  server.refuse(false);
  await logIn();
  expect(await echo(hub)).toBe("hi");
});

/** Replaces the deadline of this many milliseconds with one that passes when it is aborted. */
function makeDeadline(ms: number): AbortController {
  const { timeout } = AbortSignal;
  const deadline = new AbortController();
  spyOn(AbortSignal, "timeout").mockImplementation((after) =>
    after === ms ? deadline.signal : timeout.call(AbortSignal, after),
  );
  return deadline;
}

test("a token that is not renewed in time fails the call and the connection, and the next call works", async () => {
  await logIn();
  const hub = await connected();
  server.expire();
  const deadline = makeDeadline(20_000);
  server.hold(() => deadline.abort());
  const sentence = "The server did not answer within 20 seconds.";
  await expect(echo(hub)).rejects.toThrow(`The MCP server web failed: ${sentence}`);
  const late = await connected();
  expect(late.servers[0]?.state).toBe("failed");
  expect(late.servers[0]?.problems[0]).toEndWith(" did not answer within 20 seconds.");
  server.hold(null);
  mock.restore();
  expect(await echo(hub)).toBe("hi");
});

test("a login whose server hangs after the browser came back fails", async () => {
  const deadline = makeDeadline(20_000);
  server.hold(() => deadline.abort());
  expect(await logIn()).toContain("The server did not answer within 20 seconds.");
  server.hold(null);
});
