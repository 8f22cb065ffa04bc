/** The small server over streamable HTTP, on a free port of the loopback. */

import { SmallServer, type Outgoing } from "./small-server.ts";

export type HttpServer = {
  url: string;
  stop(): Promise<void>;
};

/** `token`: requests without it are refused. */
export function startHttpServer(token?: string): HttpServer {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      if (token !== undefined && request.headers.get("authorization") !== `Bearer ${token}`)
        return new Response("unauthorized", { status: 401 });
      const answers: Outgoing[] = [];
      new SmallServer(
        (message) => answers.push(message),
        () => undefined,
      ).handle(await request.json());
      const [answer] = answers;
      return answer ? Response.json(answer) : new Response(null, { status: 202 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    stop: () => server.stop(true),
  };
}
