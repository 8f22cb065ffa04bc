/** OAuth: logging in, using the tokens in later sessions, renewing them, and logging out. */

import { afterAll, afterEach, expect, mock, spyOn, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { logIn, loginStore, type LoginStore } from "../../../src/extensions/mcp/login.ts";
import { startOAuthServer } from "./oauth-server.ts";
import type { Hub } from "../../../src/extensions/mcp/hub.ts";
import { openHub, setup, textOf } from "./open-hub.ts";
import { testFolder } from "../../folder.ts";

const root = testFolder("mcp-login");
const server = startOAuthServer();
afterAll(async () => {
  await server.stop();
});

const file = join(root, "logins.json");
const logins = loginStore(file);
const config = { type: "http" as const, url: server.url, headers: {} };

async function readState(): Promise<string | undefined> {
  const hub = openHub([setup("web", config)], { logins });
  hub.start();
  await hub.settled(20_000);
  const state = hub.servers[0]?.state;
  await hub.close();
  return state;
}

/** The user's browser, which follows the redirects. */
const browse = (url: URL): void => void fetch(url);

test("a login is asked for, made in the browser, kept, renewed and forgotten", async () => {
  expect(await readState()).toBe("login");
  expect(server.grants).toEqual([]);
  await logIn(config, { version: "1.0.0", logins, show: browse });
  expect(server.grants).toEqual(["authorization_code"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await readState()).toBe("connected");
  server.expire();
  expect(await readState()).toBe("connected");
  expect(server.grants).toEqual(["authorization_code", "refresh_token"]);
  logins.forget(server.url);
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
  await logIn(config, { version: "1.0.0", logins, show: (url) => void forge(url) });
  expect(seen).toEqual([400, 400, 400, 400]);
  expect(await readState()).toBe("connected");
  logins.forget(server.url);
});

test("a login without an answer times out, and its address is closed", async () => {
  let address = "";
  const show = (url: URL): void => {
    address = url.searchParams.get("redirect_uri") ?? "";
  };
  const login = logIn(config, { version: "1.0.0", logins, show, waitMs: 1 });
  await expect(login).rejects.toThrow("timed out");
  await expect(fetch(address)).rejects.toThrow();
});

async function connected(store: LoginStore): Promise<Hub> {
  const hub = openHub([setup("web", config)], { logins: store });
  hub.start();
  await hub.settled(20_000);
  return hub;
}

const echo = async (hub: Hub): Promise<string> =>
  await textOf(hub, "mcp__web__echo", { text: "hi" });

test("calls that find the token expired together renew it once, and another process takes the new one", async () => {
  await logIn(config, { version: "1.0.0", logins, show: browse });
  const [hub, other] = [await connected(logins), await connected(loginStore(file))];
  server.grants.length = 0;
  server.expire();
  expect(await Promise.all([echo(hub), echo(hub), echo(hub)])).toEqual(["hi", "hi", "hi"]);
  expect(await echo(other)).toBe("hi");
  expect(server.grants).toEqual(["refresh_token"]);
  await Promise.all([hub.close(), other.close()]);
  logins.forget(server.url);
});

test("a token that is not renewed in the middle of a session says how to log in; the call after that works", async () => {
  await logIn(config, { version: "1.0.0", logins, show: browse });
  const hub = await connected(logins);
  server.expire();
  server.refuse(true);
  await expect(echo(hub)).rejects.toThrow(
    "The MCP server web is not available. Log in with: mini-claude mcp login web",
  );
  expect(hub.servers[0]?.state).toBe("login");
  server.refuse(false);
  await logIn(config, { version: "1.0.0", logins: loginStore(file), show: browse });
  expect(await echo(hub)).toBe("hi");
  await hub.close();
  logins.forget(server.url);
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

afterEach(() => mock.restore());

test("a token that is not renewed in time fails the call and the connection, and the next call works", async () => {
  await logIn(config, { version: "1.0.0", logins, show: browse });
  const hub = await connected(logins);
  server.expire();
  const deadline = makeDeadline(20_000);
  server.hold(() => deadline.abort());
  const sentence = "The server did not answer within 20 seconds.";
  await expect(echo(hub)).rejects.toThrow(`The MCP server web failed: ${sentence}`);
  const late = await connected(loginStore(file));
  expect(late.servers[0]?.state).toBe("failed");
  expect(late.servers[0]?.problems[0]).toEndWith(" did not answer within 20 seconds.");
  server.hold(null);
  mock.restore();
  expect(await echo(hub)).toBe("hi");
  await Promise.all([hub.close(), late.close()]);
  logins.forget(server.url);
});

test("a login whose server hangs after the browser came back fails", async () => {
  const deadline = makeDeadline(20_000);
  server.hold(() => deadline.abort());
  const login = logIn(config, { version: "1.0.0", logins, show: browse });
  await expect(login).rejects.toThrow("The server did not answer within 20 seconds.");
  server.hold(null);
  logins.forget(server.url);
});
