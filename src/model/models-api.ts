/** Asks the Models API for a model's limits and capabilities. */

import type Anthropic from "@anthropic-ai/sdk";
import { z } from "zod";
import type { ModelRules } from "../protocol/model.ts";
import type { FoundRules } from "./rules-cache.ts";

const size = z.number().int().positive().nullish().catch(null);

const modelInfo = z.looseObject({
  max_input_tokens: size,
  max_tokens: size,
  capabilities: z
    .looseObject({
      thinking: z.looseObject({ supported: z.boolean() }).nullish(),
      context_management: z.looseObject({ supported: z.boolean() }).nullish(),
    })
    .nullish()
    .catch(null),
});

const timeoutMs = 5_000;

/** `takesBetas`: the server says that it manages context, as the betas for it require. */
type ApiRules = FoundRules & { takesBetas: boolean };

/**
 * The rules that are known so far, corrected by the server. Never throws: a server that has no
 * Models API or does not answer soon changes nothing; `certain` is false when asking again may help.
 */
export async function askModelsApi(
  sdk: Anthropic,
  model: string,
  known: ModelRules,
): Promise<ApiRules> {
  try {
    const answer: unknown = await sdk.models.retrieve(model, {}, { timeout: timeoutMs });
    const info = modelInfo.safeParse(answer);
    if (!info.success) return { rules: known, certain: true, takesBetas: false };
    const { max_input_tokens, max_tokens, capabilities } = info.data;
    return {
      rules: {
        ...known,
        ...(max_input_tokens != null && { windowTokens: max_input_tokens }),
        ...(max_tokens != null && { outputTokens: max_tokens }),
        ...(capabilities?.thinking?.supported === false && { thinking: "none" as const }),
      },
      certain: true,
      ...(max_input_tokens != null && { reportedWindow: max_input_tokens }),
      takesBetas: capabilities?.context_management?.supported === true,
    };
  } catch (error) {
    const certain = error instanceof Error && "status" in error && error.status === 404;
    return { rules: known, certain, takesBetas: false };
  }
}
