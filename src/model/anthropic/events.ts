/** Events of the Messages API. Unknown fields are kept. */

import { z } from "zod";
import { isRecord, isTooDeep, parseJson } from "../../base/guards.ts";
import { count } from "../read-answer.ts";

const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: z.looseObject({ ephemeral_1h_input_tokens: count }).nullish().catch(null),
  server_tool_use: z.looseObject({ web_search_requests: count }).nullish().catch(null),
});

/** The tokens of a compaction are reported as an iteration, not in the totals. */
const totals = usage.extend({
  iterations: z
    .array(usage.extend({ type: z.string() }))
    .nullish()
    .catch(null),
});

export type ApiUsage = z.infer<typeof totals>;

const noTotals = (): ApiUsage => totals.parse({});

/** Null, or of another kind: nothing is known. */
const anyTotals = totals.catch(noTotals);

/** The billed part of an answer that is not streamed. */
export const billedAnswer = z.looseObject({ usage: anyTotals });

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? "");

const transformations = z
  .array(z.looseObject({ type: z.string() }))
  .nullish()
  .catch(null);

/** Some servers send the input as text, or leave it empty. */
const writtenInput = z
  .string()
  .transform((json) => parseJson(json))
  .pipe(z.record(z.string(), z.unknown()));

const block = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text }),
  z.looseObject({ type: z.literal("thinking"), thinking: text, signature: text }),
  z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.looseObject({
    type: z.literal("tool_use"),
    id: text,
    name: text,
    input: z.record(z.string(), z.unknown()).or(writtenInput).catch({}),
  }),
  z.looseObject({
    type: z.literal("compaction"),
    content: z.string().nullable().default(null),
    encrypted_content: z.string().nullable().exactOptional(),
    signature: z.string().nullable().exactOptional(),
  }),
]);

export type ApiBlock = z.infer<typeof block>;

const delta = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text_delta"), text }),
  z.looseObject({ type: z.literal("thinking_delta"), thinking: text }),
  z.looseObject({ type: z.literal("signature_delta"), signature: text }),
  z.looseObject({
    type: z.literal("input_json_delta"),
    partial_json: text.or(
      // Some servers send the input as an object instead of serialized.
      z.record(z.string(), z.unknown()).transform((input) => JSON.stringify(input)),
    ),
  }),
  z.looseObject({
    type: z.literal("compaction_delta"),
    content: z.string().nullable(),
    encrypted_content: z.string().nullish(),
  }),
]);

export type ApiDelta = z.infer<typeof delta>;

/** An unknown kind is ignored, as the API asks its clients to do. */
const other = (type: string) => ({ type: "other" as const, of: type });

const index = z.coerce.number().int().nonnegative().catch(0);
const unknownKind = z.looseObject({ type: z.string() }).transform(({ type }) => other(type));

const known = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("message_start"),
    message: z
      .looseObject({ usage: anyTotals, input_transformations: transformations })
      .catch(() => ({ usage: noTotals(), input_transformations: null })),
  }),
  z.looseObject({
    type: z.literal("content_block_start"),
    index,
    content_block: block.or(unknownUnless(block)),
  }),
  z.looseObject({
    type: z.literal("content_block_delta"),
    index,
    delta: delta.or(unknownUnless(delta)),
  }),
  z.looseObject({ type: z.literal("content_block_stop"), index }),
  z.looseObject({
    type: z.literal("message_delta"),
    delta: z
      .looseObject({
        stop_reason: z.string().nullish().catch(null),
        stop_details: z
          .looseObject({ explanation: z.string().nullish(), category: z.string().nullish() })
          .nullish()
          .catch(null),
      })
      .nullish()
      .transform((given) => given ?? {}),
    usage: anyTotals,
    input_transformations: transformations,
  }),
  z.looseObject({ type: z.literal("message_stop") }),
]);

/** Accepts kinds that the union does not name, but not malformed ones that it does. */
function unknownUnless(union: { options: readonly { shape: { type: z.ZodLiteral } }[] }) {
  const names = new Set(union.options.flatMap(({ shape }) => [...shape.type.values]));
  return unknownKind.refine(({ of }) => !names.has(of));
}

const streamEvent = known.or(unknownUnless(known));

export type ApiEvent = z.infer<typeof streamEvent>;

/**
 * Null: not an event of the API, or nested too deeply. Text, of which nothing else is read, skips the
 * schema and the walk: each takes a twentieth of the CPU of a stream.
 */
export function readEvent(raw: unknown): ApiEvent | null {
  if (isTextDelta(raw)) return raw;
  const event = streamEvent.safeParse(raw).data ?? null;
  return event === null || isTooDeep(raw) ? null : event;
}

/** Stricter than the schema. */
const isTextDelta = (raw: unknown): raw is ApiEvent =>
  isRecord(raw) &&
  raw["type"] === "content_block_delta" &&
  Number.isSafeInteger(raw["index"]) &&
  Number(raw["index"]) >= 0 &&
  isRecord(raw["delta"]) &&
  raw["delta"]["type"] === "text_delta" &&
  typeof raw["delta"]["text"] === "string";
