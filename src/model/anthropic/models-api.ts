/** Asks the Models API for a model's limits and capabilities. */

import { z } from "zod";
import type { ModelRules } from "../../protocol/model.ts";
import type { ModelServer } from "../ask-server.ts";
import type { FoundRules } from "../found-rules.ts";

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

/** The first frame waits no longer than this: the catalog is nearly always right. */
const timeoutMs = 2_000;

/**
 * What the server corrects in the rules that are known so far. `takesBetas`: it says that it manages
 * context, as the betas for that require.
 */
type Corrections = Omit<FoundRules, "rules"> & {
  changes: Partial<ModelRules>;
  takesBetas: boolean;
};

/**
 * Never throws: a server that has no Models API or does not answer soon changes nothing; `certain`
 * is false when asking again may help. Works without the SDK: the first frame waits for this, and
 * loading the SDK takes longer.
 */
export async function askModelsApi(
  { baseUrl, headers, fetch }: ModelServer,
  model: string,
): Promise<Corrections> {
  const nothing = { changes: {}, takesBetas: false };
  try {
    const response = await fetch(`${baseUrl}/v1/models/${encodeURIComponent(model)}`, {
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) return { ...nothing, certain: response.status === 404 };
    const info = modelInfo.safeParse(await response.json());
    if (!info.success) return { ...nothing, certain: true };
    const { max_input_tokens, max_tokens, capabilities } = info.data;
    return {
      changes: {
        ...(max_input_tokens != null && { windowTokens: max_input_tokens }),
        ...(max_tokens != null && { outputTokens: max_tokens }),
        ...(capabilities?.thinking?.supported === false && { thinking: "none" }),
      },
      certain: true,
      ...(max_input_tokens != null && { reportedWindow: max_input_tokens }),
      takesBetas: capabilities?.context_management?.supported === true,
    };
  } catch (error) {
    return { ...nothing, certain: error instanceof SyntaxError };
  }
}
