import { z } from "zod";

/** A message that came whole although a stream was asked for. */
export const wholeMessage = z.looseObject({
  type: z.literal("message"),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  usage: z.unknown(),
});

/** The same as events. */
export const toEvents = ({ content, stop_reason = null, usage }: z.infer<typeof wholeMessage>) => [
  { type: "message_start", message: { usage } },
  ...content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason } },
  { type: "message_stop" },
];
