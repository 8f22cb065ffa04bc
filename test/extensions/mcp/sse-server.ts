/** The small server over HTTP with server-sent events: a stream of answers, and an address for requests. */

import { SmallServer } from "./small-server.ts";

type SseServer = {
  url: string;
  /** Whether the tool was called that never answers. */
  isAsked(): boolean;
  /** Ends the stream. */
  drop(): void;
  stop(): Promise<void>;
};

export function startSseServer(): SseServer {
  const asked: string[] = [];
  let drop = (): void => undefined;
  let send: ((event: string, data: string) => void) | null = null;
  const small = new SmallServer(
    (message) => send?.("message", JSON.stringify(message)),
    () => undefined,
  );
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      if (request.method === "POST") {
        const json: unknown = await request.json();
        asked.push(JSON.stringify(json));
        small.handle(json);
        return new Response(null, { status: 202 });
      }
      const stream = new ReadableStream<string>({
        start(controller) {
          send = (event, data) => controller.enqueue(`event: ${event}\ndata: ${data}\n\n`);
          send("endpoint", "/messages");
          drop = () => controller.close();
        },
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/sse`,
    isAsked: () => asked.some((message) => message.includes('"hang"')),
    drop: () => drop(),
    stop: () => server.stop(true),
  };
}
