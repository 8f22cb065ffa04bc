/** Logs in to a server with OAuth: the user's browser comes back to an address on this machine. */

import { Client, UnauthorizedError } from "@modelcontextprotocol/client";
import {
  parseServerAddress,
  remoteTransport,
  type RemoteConfig,
  type McpFetch,
} from "./connection.ts";
import type { LoginStore } from "./logins.ts";

/** How long the user has, in milliseconds. */
const patienceMs = 5 * 60_000;

/** How long the server has before the browser is opened, and after it came back, in milliseconds. */
const answerMs = 20_000;

/** `show` receives the address to open. Rejects with a sentence. */
export async function logIn(
  config: RemoteConfig,
  {
    version,
    logins,
    show,
    waitMs = patienceMs,
  }: { version: string; logins: LoginStore; show(url: URL): void; waitMs?: number },
): Promise<void> {
  const state = crypto.randomUUID();
  const back = Promise.withResolvers<URLSearchParams>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      if (url.pathname !== "/callback") return new Response("Not found", { status: 404 });
      // Any page that the user visits can send a browser here: that neither logs in nor ends the login.
      if (url.searchParams.get("state") !== state)
        return new Response("This is not part of the login.", { status: 400 });
      back.resolve(url.searchParams);
      return new Response("You can close this window and return to mini-claude.");
    },
  });
  // It is waited for only once the server has asked for a login.
  back.promise.catch(() => undefined);
  const timer = setTimeout(() => back.reject(new Error("The login timed out.")), waitMs);
  const redirectUrl = `http://127.0.0.1:${server.port}/callback`;
  const url = parseServerAddress(config).href;
  const auth = logins.interactively(url, { redirectUrl, state, open: (address) => show(address) });
  let late = AbortSignal.timeout(answerMs);
  const inTime: McpFetch = (to, init) =>
    fetch(to, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, late]) : late });
  const transport = remoteTransport(config, () => auth, inTime);
  const client = new Client({ name: "mini-claude", version });
  try {
    await client.connect(transport).catch(async (error: unknown) => {
      if (!(error instanceof UnauthorizedError)) throw error;
      // The user has more time.
      late = new AbortController().signal;
      const answer = await back.promise;
      late = AbortSignal.timeout(answerMs);
      await transport.finishAuth(answer);
    });
  } catch (error) {
    throw late.aborted
      ? new Error(`The server did not answer within ${answerMs / 1_000} seconds.`)
      : error;
  } finally {
    clearTimeout(timer);
    await client.close().catch(() => undefined);
    // The browser still gets its page.
    await server.stop();
  }
}
