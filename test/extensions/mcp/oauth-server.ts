/** An MCP server that requires OAuth, and its authorization server, on one free port. */

import { z } from "zod";
import { SmallServer } from "./small-server.ts";

/**
 * `expire` ends the current token; it is renewed with a refresh token, each of which can be used
 * once.
 */
export function startOAuthServer() {
  let token = 0;
  let refresh = 0;
  let refuses = false;
  let hold: (() => void) | null = null;
  let moved: string | null = null;
  const grants: string[] = [];
  const bearer = () => `token-${token}`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const { origin, pathname } = url;
      switch (pathname) {
        case "/.well-known/oauth-protected-resource":
        case "/.well-known/oauth-protected-resource/mcp":
          return Response.json({
            resource: `${origin}/mcp`,
            authorization_servers: [moved ?? origin],
          });
        case "/.well-known/oauth-authorization-server":
          return Response.json({
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/register`,
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
            token_endpoint_auth_methods_supported: ["none"],
          });
        case "/register": {
          const wanted = z.looseObject({}).parse(await request.json());
          return Response.json({ ...wanted, client_id: "client-1" }, { status: 201 });
        }
        case "/authorize": {
          const back = new URL(url.searchParams.get("redirect_uri") ?? "");
          back.searchParams.set("code", "code-1");
          back.searchParams.set("state", url.searchParams.get("state") ?? "");
          return Response.redirect(back.href, 302);
        }
        case "/token": {
          if (hold) {
            hold();
            return new Promise(() => undefined);
          }
          const form = new URLSearchParams(await request.text());
          grants.push(form.get("grant_type") ?? "");
          const isRenewal = form.get("grant_type") === "refresh_token";
          if (isRenewal && (refuses || form.get("refresh_token") !== `refresh-${refresh}`))
            return Response.json({ error: "invalid_grant" }, { status: 400 });
          token += 1;
          refresh += 1;
          return Response.json({
            access_token: bearer(),
            token_type: "Bearer",
            refresh_token: `refresh-${refresh}`,
          });
        }
        case "/mcp":
          return answer(request, origin);
        default:
          return new Response("Not found", { status: 404 });
      }
    },
  });

  async function answer(request: Request, origin: string): Promise<Response> {
    if (token === 0 || request.headers.get("authorization") !== `Bearer ${bearer()}`) {
      const metadata = `${origin}/.well-known/oauth-protected-resource`;
      const headers = { "www-authenticate": `Bearer resource_metadata="${metadata}"` };
      return new Response("unauthorized", { status: 401, headers });
    }
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const [one] = new SmallServer().handle(await request.json());
    return one ? Response.json(one) : new Response(null, { status: 202 });
  }

  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    grants,
    /** Invalidates the tokens issued so far. */
    expire: () => void (token += 1),
    /** Makes the server refuse to renew tokens, or not. */
    refuse: (isRefused: boolean) => void (refuses = isRefused),
    /** Stops answering token requests and calls `onRequest` instead, until it is null. */
    hold: (onRequest: (() => void) | null) => void (hold = onRequest),
    /** Names another authorization server, until it is null. */
    move: (origin: string | null) => void (moved = origin),
    stop: () => server.stop(true),
  };
}
