/** The transport to a server over HTTP. Loaded, with the official client, when it is needed. */

import {
  type AuthProvider,
  type FetchLike,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { RemoteConfig } from "./config.ts";

/** Throws when the address is not one. */
export function remoteTransport(
  config: RemoteConfig,
  auth: (url: string) => AuthProvider | OAuthClientProvider,
  fetch?: FetchLike,
): StreamableHTTPClientTransport {
  const url = URL.parse(config.url);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error("Its address must look like https://example.com/mcp.");
  return new StreamableHTTPClientTransport(url, {
    requestInit: { headers: config.headers },
    authProvider: auth(url.href),
    ...(fetch && { fetch }),
  });
}
