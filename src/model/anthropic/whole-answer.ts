/** Answers that are no stream, although one was asked for: a whole message is read all the same. */

import { z } from "zod";
import { isRecord, parseJson } from "../../base/guards.ts";
import { type CallContext, malformed, refused } from "../failures.ts";
import type { Fetch } from "../network.ts";

const message = z.looseObject({
  type: z.literal("message"),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  usage: z.unknown(),
});

/** A `fetch` whose answers are event streams. Throws `ModelError` for one that cannot become one. */
export const asEventStream =
  (fetch: Fetch, context: CallContext): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (!response.ok || response.body === null) return response;
    const { start, body } = await peek(response.body);
    if (!/^[[{<]/.test(start)) return new Response(body, response);
    const text = (await new Response(body).text()).trim();
    return new Response(toEvents(text, context), {
      headers: { "content-type": "text/event-stream" },
    });
  };

/** The first text that is not blank, and the whole body, without a queue that an error would drop. */
async function peek(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read: Uint8Array[] = [];
  let start = "";
  while (start === "") {
    const { done, value } = await reader.read();
    if (done) break;
    read.push(value);
    start = (start + decoder.decode(value, { stream: true })).trimStart();
  }
  const again = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const first = read.shift();
        if (first) return controller.enqueue(first);
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { start, body: again };
}

function toEvents(text: string, context: CallContext): string {
  const raw = parseJson(text);
  if (isRecord(raw) && (raw["type"] === "error" || raw["error"] !== undefined)) {
    const error = isRecord(raw["error"]) ? raw["error"] : { message: raw["error"] };
    const type = String(error["type"] ?? "");
    const said = String(error["message"] ?? "no reason given");
    throw refused({ status: undefined, type, message: said, headers: null, cause: raw }, context);
  }
  const { data } = message.safeParse(raw);
  if (!data) {
    const what = text.startsWith("<") ? "a web page" : "something";
    throw malformed(`answered with ${what} that is no answer of the Messages API`, context);
  }
  const { content, stop_reason = null, usage } = data;
  const events: { type: string; [field: string]: unknown }[] = [
    { type: "message_start", message: { usage } },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
