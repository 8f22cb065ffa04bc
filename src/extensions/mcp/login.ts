/**
 * Logins to servers with OAuth: made in the browser of the user, which comes back to an address on this machine.
 * Their tokens are kept by address in a file only the user can read.
 */

import { readFileSync } from "node:fs";
import type {
  AuthProvider,
  FetchLike,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { saveJson } from "../../config/json-file.ts";
import type { RemoteConfig } from "./config.ts";

/** A stored login. Fields from the server are kept as they are; the client checks them. */
const loginSchema = z.object({
  /** Where the browser was sent back to when we registered. */
  redirectUrl: z.string().exactOptional(),
  client: z.looseObject({ client_id: z.string() }).exactOptional(),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }).exactOptional(),
});

type Login = z.infer<typeof loginSchema>;

type Browser = {
  /** Where the server sends the user back to. */
  redirectUrl: string;
  /** A secret that comes back with the user. */
  state: string;
  /** Shows the user where to log in. */
  open(url: URL): void;
};

type Refusal = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0];

/** How long a server has for each answer, in milliseconds. */
const answerMs = 20_000;

const tooLate = (): Error =>
  new Error(`The server did not answer within ${answerMs / 1_000} seconds.`);

const fetchInTime: FetchLike = async (to, init) => {
  const late = AbortSignal.timeout(answerMs);
  const signal = init?.signal ? AbortSignal.any([init.signal, late]) : late;
  return fetch(to, { ...init, signal }).catch((error: unknown) => {
    throw late.aborted ? tooLate() : error;
  });
};

export type LoginStore = ReturnType<typeof loginStore>;

export function loginStore(file: string) {
  const renewing = new Map<string, Promise<void>>();

  /** A damaged file holds no logins; the next one replaces it. */
  const all = (): Record<string, Login> =>
    attempt(
      () => z.record(z.string(), loginSchema).parse(JSON.parse(readFileSync(file, "utf8"))),
      {},
    );
  const read = (url: string): Login => all()[url] ?? {};
  const save = (url: string, entry: Login): void => saveJson(file, { ...all(), [url]: entry });
  const tokenFor = (url: string): string | undefined => read(url).tokens?.access_token;

  /** Uses and renews the tokens of an earlier login; never asks for one. */
  function silently(url: string): AuthProvider {
    const { tokens, redirectUrl } = read(url);
    if (!tokens || redirectUrl === undefined) return { token: async () => undefined };
    const provider = interactively(url, { redirectUrl, state: "", open: () => undefined });
    let given: string | undefined;
    return {
      token: async () => (given = tokenFor(url)),
      // Calls that are refused at the same time share a renewal: a refresh token often works only
      // once.
      onUnauthorized: (refusal) => {
        const renewed = renewing.get(url) ?? renew(url, given, provider, refusal);
        renewing.set(url, renewed);
        return renewed.finally(() => renewing.delete(url));
      },
    };
  }

  /** Rejects with an `UnauthorizedError` when it is refused. `given`: the token that was refused. */
  async function renew(
    url: string,
    given: string | undefined,
    provider: OAuthClientProvider,
    { response, serverUrl, fetchFn }: Refusal,
  ): Promise<void> {
    const own = await import("@modelcontextprotocol/client");
    const isRenewed = (): boolean => tokenFor(url) !== given;
    // Another process has done it; if both try, the one that comes too late finds the new token.
    if (isRenewed()) return;
    const { resourceMetadataUrl, scope } = own.extractWWWAuthenticateParams(response);
    const late = AbortSignal.timeout(answerMs);
    const result = await own
      .auth(provider, {
        serverUrl,
        ...(resourceMetadataUrl && { resourceMetadataUrl }),
        ...(scope !== undefined && { scope }),
        fetchFn: (to, init) => fetchFn(to, { ...init, signal: late }),
      })
      .catch(() => "FAILED");
    if (result === "AUTHORIZED" || isRenewed()) return;
    throw late.aborted ? tooLate() : new own.UnauthorizedError();
  }

  /** Lets the user log in. */
  function interactively(url: string, { redirectUrl, state, open }: Browser): OAuthClientProvider {
    let verifier = "";
    /** The code goes only to the server that the browser was sent to. */
    let discovered: OAuthDiscoveryState | undefined;
    return {
      redirectUrl,
      clientMetadata: {
        client_name: "mini-claude",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      state: () => state,
      clientInformation: () => {
        const known = read(url);
        return known.redirectUrl === redirectUrl ? known.client : undefined;
      },
      saveClientInformation: (client) => save(url, { redirectUrl, client: { ...client } }),
      tokens: () => read(url).tokens,
      saveTokens: (tokens) => save(url, { ...read(url), tokens: { ...tokens } }),
      redirectToAuthorization: open,
      saveCodeVerifier: (code) => void (verifier = code),
      codeVerifier: () => verifier,
      saveDiscoveryState: (found) => void (discovered = found),
      discoveryState: () => discovered,
    };
  }

  function forget(url: string): void {
    const { [URL.parse(url)?.href ?? url]: _, ...others } = all();
    saveJson(file, others);
  }

  return { silently, interactively, forget };
}

/** How long the user has, in milliseconds. */
const patienceMs = 5 * 60_000;

/** `show` receives the address to open. Rejects with a sentence. */
export async function logIn(
  config: RemoteConfig,
  { version, logins, show }: { version: string; logins: LoginStore; show(url: URL): void },
): Promise<void> {
  const { Client, UnauthorizedError } = await import("@modelcontextprotocol/client");
  const { remoteTransport } = await import("./remote.ts");
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
  // Awaited only once the server has asked for a login.
  back.promise.catch(() => undefined);
  const timer = setTimeout(() => back.reject(new Error("The login timed out.")), patienceMs);
  const redirectUrl = `http://127.0.0.1:${server.port}/callback`;
  const auth = (url: string) => logins.interactively(url, { redirectUrl, state, open: show });
  const transport = remoteTransport(config, auth, fetchInTime);
  const client = new Client({ name: "mini-claude", version });
  try {
    await client.connect(transport).catch(async (error: unknown) => {
      if (!(error instanceof UnauthorizedError)) throw error;
      await transport.finishAuth(await back.promise);
    });
  } finally {
    clearTimeout(timer);
    await client.close().catch(() => undefined);
    // The browser still gets its page.
    await server.stop();
  }
}
