/** A request of the Messages API as it comes over the wire, as far as the fake looks at it. */

import { z } from "zod";

const mark = z.looseObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() });
const marked = { cache_control: mark.nullish() };

export const wireBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  thinking: z.string().optional(),
  signature: z.string().optional(),
  data: z.string().optional(),
  content: z.unknown().optional(),
  ...marked,
});

export type WireBlock = z.infer<typeof wireBlock>;

export const wireRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.number().int(),
  stream: z.boolean().optional(),
  system: z.array(wireBlock).optional(),
  tools: z
    .array(
      z.looseObject({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal("object") }),
        ...marked,
      }),
    )
    .optional(),
  messages: z.array(
    z.looseObject({ role: z.enum(["user", "assistant"]), content: z.array(wireBlock) }),
  ),
  tool_choice: z.looseObject({ type: z.enum(["auto", "any", "tool", "none"]) }).optional(),
  thinking: z
    .looseObject({
      type: z.enum(["adaptive", "enabled", "disabled"]),
      block_binding: z
        .looseObject({ prefix_mismatch_behavior: z.enum(["error", "drop_block"]).optional() })
        .optional(),
    })
    .optional(),
});

export type WireRequest = z.infer<typeof wireRequest>;
export type WireMessage = WireRequest["messages"][number];

/** A refusal, as the API words it. */
export class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly headers: Record<string, string>;

  constructor(status: number, type: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.headers = headers;
  }
}

export const invalid = (message: string): Refusal =>
  new Refusal(400, "invalid_request_error", message);

/** The same bytes for the same content; cache marks are no content. */
export const bare = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => (key === "cache_control" ? undefined : part));

/** The fake's own tokens: three characters each, images at a flat rate. */
export function tokensOf(value: unknown): number {
  const text = bare(value).replace(/"data":"[^"]{200,}"/g, (found) => {
    return found.length > 200 ? '"data":"image"' : found;
  });
  return Math.ceil(text.length / 3);
}
