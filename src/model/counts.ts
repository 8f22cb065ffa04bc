/** Counted tokens, as servers report them. */

import { z } from "zod";
import type { Usage } from "../protocol/model.ts";

/** Lenient: some servers send text, fractions or invalid numbers. */
export const count = z.coerce
  .number()
  .nonnegative()
  .finite()
  .transform(Math.round)
  .nullish()
  .catch(null);

/** In OpenAI's APIs, the prompt includes cached tokens. */
export function usageOf(
  prompt: number | null | undefined,
  cached: number | null | undefined,
  output: number | null | undefined,
): Usage {
  const cacheRead = Math.min(cached ?? 0, prompt ?? 0);
  return { input: (prompt ?? 0) - cacheRead, cacheRead, cacheWrite: 0, output: output ?? 0 };
}
