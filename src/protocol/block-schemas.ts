/** Schemas of the blocks that other programs send. */

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
