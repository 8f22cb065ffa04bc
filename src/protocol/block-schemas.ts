/** Schemas of the blocks that other programs send and the log holds. */

import { z } from "zod";
import { imageMediaTypes } from "./block.ts";

export const textSchema = z.object({ type: z.literal("text"), text: z.string() });

export const imageSchema = z.object({
  type: z.literal("image"),
  source: z.object({
    type: z.literal("base64"),
    media_type: z.enum(imageMediaTypes),
    data: z.string(),
  }),
});

export const thinkingSchema = z.object({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string(),
});

export const redactedThinkingSchema = z.object({
  type: z.literal("redacted_thinking"),
  data: z.string(),
});

export const toolUseSchema = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});

export const compactionSchema = z.object({
  type: z.literal("compaction"),
  content: z.string().nullable(),
  encrypted_content: z.string().nullable().exactOptional(),
  signature: z.string().nullable().exactOptional(),
});
