import { z } from "zod";
import {
  isLast,
  notAnAnswer,
  parsePart,
  readEventStream,
  type StreamPart,
} from "../event-stream.ts";
import { malformed, type CallContext } from "../failures.ts";
import { readEvent, type ApiEvent } from "./events.ts";

/** The events of an answer. Throws `ModelError`. */
export async function* readEvents(
  body: ReadableStream<Uint8Array> | null,
  context: CallContext,
): AsyncGenerator<ApiEvent, void> {
  for await (const part of readEventStream(body)) {
    if (isLast(part)) continue;
    for (const raw of toEvents(part, context)) {
      const event = readEvent(raw);
      if (event === null) throw malformed(`sent an event that is not part of the ${api}`, context);
      yield event;
    }
  }
}

const message = z.looseObject({
  type: z.literal("message"),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  usage: z.unknown(),
});

const api = "Messages API";

/** Several events where a whole message came although a stream was asked for. */
function toEvents(part: StreamPart, context: CallContext): unknown[] {
  const raw = parsePart(part, context, api);
  if (part.is === "event") return [raw];
  const { data } = message.safeParse(raw);
  if (!data) throw notAnAnswer(part.text, context, api);
  const { content, stop_reason = null, usage } = data;
  return [
    { type: "message_start", message: { usage } },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason } },
    { type: "message_stop" },
  ];
}
