/** Logs in to a server with OAuth: the user's browser comes back to an address on this machine. */

import { Client, UnauthorizedError } from "@modelcontextprotocol/client";
import { addressOf, remoteTransport, type RemoteConfig } from "./connection.ts";
import type { LoginStore } from "./login-store.ts";

/** How long the user has, in milliseconds. */
const patienceMs = 5 * 60_000;

/** `show` receives the address to open. Rejects with a sentence. */
export async function logIn(
  config: RemoteConfig,
  { version, logins, show }: { version: string; logins: LoginStore; show(url: URL): void },
): Promise<void> {
  const back = Promise.withResolvers<URLSearchParams>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      if (url.pathname !== "/callback") return new Response("Not found", { status: 404 });
      back.resolve(url.searchParams);
      return new Response("You can close this window and return to mini-claude.");
    },
  });
  const timer = setTimeout(() => back.reject(new Error("The login timed out.")), patienceMs);
  const state = crypto.randomUUID();
  const redirectUrl = `http://127.0.0.1:${server.port}/callback`;
  const url = addressOf(config).href;
  const auth = logins.interactively(url, { redirectUrl, state, open: (address) => show(address) });
  const transport = remoteTransport(config, () => auth);
  const client = new Client({ name: "mini-claude", version });
  try {
    await client.connect(transport).catch(async (error: unknown) => {
      if (!(error instanceof UnauthorizedError)) throw error;
      const answer = await back.promise;
      if (answer.get("state") !== state) throw new Error("The answer does not match this login.");
      await transport.finishAuth(answer);
    });
  } finally {
    clearTimeout(timer);
    await client.close().catch(() => undefined);
    // The browser still gets its page.
    await server.stop();
  }
}
