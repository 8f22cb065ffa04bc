/** The small server over streamable HTTP, on a free port of the loopback. */

import { SmallServer } from "./small-server.ts";

/** A request before the session, to find out which protocol the server speaks. */
const isProbe = (json: unknown): boolean => JSON.stringify(json).includes('"server/discover"');

const gone = (): Response => new Response("unknown session", { status: 404 });

type HttpOptions = {
  /** Requests without it are refused. */
  token?: string;
  /** Answers that the session is unknown. */
  unknown?(): Response;
  /** A method that it never answers. */
  ignores?: string;
};

export function startHttpServer({ token, unknown = gone, ignores }: HttpOptions = {}) {
  const ignored = Promise.withResolvers<void>();
  const sessions = new Set<string>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      if (token !== undefined && request.headers.get("authorization") !== `Bearer ${token}`)
        return new Response("unauthorized", { status: 401 });
      const json: unknown = await request.json();
      if (ignores !== undefined && JSON.stringify(json).includes(`"${ignores}"`)) {
        ignored.resolve();
        return new Promise(() => undefined);
      }
      const isStart = JSON.stringify(json).includes('"initialize"');
      const session = isStart ? crypto.randomUUID() : request.headers.get("mcp-session-id");
      if (isStart && session) sessions.add(session);
      if (!isProbe(json) && !sessions.has(session ?? "")) return unknown();
      const headers = { "mcp-session-id": session ?? "" };
      const [answer] = new SmallServer().handle(json);
      return answer ? Response.json(answer, { headers }) : new Response(null, { status: 202 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    /** Resolves when the request that it never answers has arrived. */
    ignored: ignored.promise,
    /** Forgets its sessions, as a restart does. */
    restart: () => sessions.clear(),
    stop: () => server.stop(true),
  };
}
