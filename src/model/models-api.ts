/** Asks the Models API for a model's limits and abilities. */

import type Anthropic from "@anthropic-ai/sdk";
import { z } from "zod";
import type { ModelRules } from "../protocol/model.ts";

const size = z.number().int().positive().nullish().catch(null);

const modelInfo = z.looseObject({
  max_input_tokens: size,
  max_tokens: size,
  capabilities: z
    .looseObject({ thinking: z.looseObject({ supported: z.boolean() }).nullish() })
    .nullish()
    .catch(null),
});

const patienceMs = 5_000;

/**
 * The catalogue's rules, corrected by the server. Never throws: a server without a Models API, or
 * one that does not answer soon, changes nothing; `certain` is false when asking again may help.
 */
export async function askModelsApi(
  sdk: Anthropic,
  model: string,
  catalogued: ModelRules,
): Promise<{ rules: ModelRules; certain: boolean }> {
  try {
    const answer: unknown = await sdk.models.retrieve(model, {}, { timeout: patienceMs });
    const info = modelInfo.safeParse(answer);
    if (!info.success) return { rules: catalogued, certain: true };
    const { max_input_tokens, max_tokens, capabilities } = info.data;
    return {
      rules: {
        ...catalogued,
        ...(max_input_tokens != null && { windowTokens: max_input_tokens }),
        ...(max_tokens != null && { outputTokens: max_tokens }),
        ...(capabilities?.thinking?.supported === false && { thinking: "none" as const }),
      },
      certain: true,
    };
  } catch (error) {
    const certain = error instanceof Error && "status" in error && error.status === 404;
    return { rules: catalogued, certain };
  }
}
