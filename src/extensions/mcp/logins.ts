/** Tokens of the servers that the user logged in to, by address, in a file only they can read. */

import { readFileSync } from "node:fs";
import type {
  AuthProvider,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { saveJson } from "../../config/json-file.ts";

const text = z.string().exactOptional();

const login = z.object({
  /** Where the browser was sent back to when we registered. */
  redirectUrl: text,
  client: z.object({ client_id: z.string(), client_secret: text, issuer: text }).exactOptional(),
  tokens: z
    .object({
      access_token: z.string(),
      token_type: z.string(),
      id_token: text,
      expires_in: z.number().exactOptional(),
      scope: text,
      refresh_token: text,
      issuer: text,
    })
    .exactOptional(),
});

type Login = z.infer<typeof login>;

type Browser = {
  /** Where the server sends the user back to. */
  redirectUrl: string;
  /** A secret that comes back with the user. */
  state: string;
  /** Shows the user where to log in. */
  open(url: URL): void;
};

type Refusal = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0];

/** How long renewing a token may take, in milliseconds. */
const renewMs = 10_000;

export type LoginStore = ReturnType<typeof loginStore>;

export function loginStore(file: string) {
  const renewing = new Map<string, Promise<void>>();

  /** A damaged file holds no logins; the next one replaces it. */
  const all = (): Record<string, Login> =>
    attempt(() => z.record(z.string(), login).parse(JSON.parse(readFileSync(file, "utf8"))), {});
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

  /** Rejects with an `UnauthorizedError`, or after a timeout. `given`: the token that was refused. */
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
    const late = AbortSignal.timeout(renewMs);
    const result = await own
      .auth(provider, {
        serverUrl,
        ...(resourceMetadataUrl && { resourceMetadataUrl }),
        ...(scope !== undefined && { scope }),
        fetchFn: (to, init) => fetchFn(to, { ...init, signal: late }),
      })
      .catch(() => "FAILED");
    if (result === "AUTHORIZED" || isRenewed()) return;
    if (late.aborted)
      throw new Error(`Its login was not renewed within ${renewMs / 1_000} seconds.`);
    throw new own.UnauthorizedError();
  }

  /** Lets the user log in. */
  function interactively(url: string, { redirectUrl, state, open }: Browser): OAuthClientProvider {
    let verifier = "";
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
      saveClientInformation: (client) =>
        save(url, { redirectUrl, client: login.shape.client.unwrap().parse(client) }),
      tokens: () => read(url).tokens,
      saveTokens: (tokens) =>
        save(url, { ...read(url), tokens: login.shape.tokens.unwrap().parse(tokens) }),
      redirectToAuthorization: open,
      saveCodeVerifier: (code) => void (verifier = code),
      codeVerifier: () => verifier,
      saveDiscoveryState: (found) => void (discovered = found),
      discoveryState: () => discovered,
    };
  }

  function forget(url: string): void {
    const { [url]: _, ...others } = all();
    saveJson(file, others);
  }

  return { silently, interactively, forget };
}
