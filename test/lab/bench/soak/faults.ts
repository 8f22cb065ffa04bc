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

/** `count` is called for every fault. */
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

/**
 * The first `at` bytes unchanged, then the fault: in the middle of an event, of JSON, of a
 * character.
 */
function broken(bytes: Uint8Array, at: number, fault: Fault): ReadableStream<Uint8Array> {
  let sent = 0;
  const words = (text: string) => new TextEncoder().encode(text);
  const chunkBytes = (): number => (sent < at ? Math.min(1_024, at - sent) : dripBytes);
  const dripBytes = Math.max(1, Math.ceil((bytes.length - at) / 50));
  return new ReadableStream(
    {
      async pull(controller) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (sent < at || (fault === "drip" && sent < bytes.length)) {
          const end = sent + chunkBytes();
          controller.enqueue(bytes.subarray(sent, end));
          sent = end;
          return;
        }
        switch (fault) {
          case "silence":
            return new Promise<void>(() => {});
          case "error event":
            controller.enqueue(words(overloaded));
            return controller.close();
          case "garbage":
            controller.enqueue(words('\n\ndata: {"type": "content_bl\n\n'));
            return controller.close();
          case "end":
          case "drip":
            return controller.close();
          default:
            return controller.error(null);
        }
      },
    },
    { highWaterMark: 0 },
  );
}

const overloaded =
  '\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
