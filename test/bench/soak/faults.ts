/** A network between the agent and the fake that fails at random, at every point of a stream. */

import type { Random } from "./random.ts";

export const faults = [
  "busy",
  "reset before headers",
  "redirect",
  "end",
  "reset",
  "silence",
  "drip",
  "error event",
  "garbage",
] as const;

export type Fault = (typeof faults)[number];

/** `count` hears of every fault. */
export function faulty(
  handle: (request: Request) => Promise<Response>,
  random: Random,
  share: number,
  count: (fault: Fault) => void,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const isCall = new URL(request.url).pathname === "/v1/messages";
    if (!isCall || !random.chance(share)) return handle(request);
    const fault = random.pick(faults);
    count(fault);
    if (fault === "busy") {
      const status = random.pick([429, 500, 503, 529]);
      const error = { type: "overloaded_error", message: "Overloaded" };
      return Response.json({ type: "error", error }, { status, headers: { "retry-after": "1" } });
    }
    if (fault === "redirect") return Response.redirect("http://127.0.0.1:9/v1/messages", 307);
    const response = await handle(request);
    if (!response.ok || !response.body) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const at = fault === "reset before headers" ? 0 : random.below(bytes.length);
    return new Response(broken(bytes, at, fault), { headers: response.headers });
  };
}

/** The first `at` bytes as they are, then the fault: in mid-event, mid-JSON, mid-character. */
function broken(bytes: Uint8Array, at: number, fault: Fault): ReadableStream<Uint8Array> {
  let sent = 0;
  const text = (words: string) => new TextEncoder().encode(words);
  return new ReadableStream(
    {
      async pull(controller) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (sent < at) {
          controller.enqueue(bytes.subarray(sent, Math.min(at, sent + 1_024)));
          sent += 1_024;
          return;
        }
        switch (fault) {
          case "silence":
            return new Promise<void>(() => {});
          case "drip": {
            const rest = Math.max(sent, at);
            const end = rest + Math.max(1, Math.ceil((bytes.length - at) / 50));
            sent = end;
            at = end;
            controller.enqueue(bytes.subarray(rest, end));
            if (end >= bytes.length) controller.close();
            return;
          }
          case "error event":
            controller.enqueue(
              text(
                '\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
              ),
            );
            return controller.close();
          case "garbage":
            controller.enqueue(text('\n\ndata: {"type": "content_bl\n\n'));
            return controller.close();
          case "end":
            return controller.close();
          default:
            return controller.error(null);
        }
      },
    },
    { highWaterMark: 0 },
  );
}
