/** How servers say that a prompt does not fit, and the sizes they report. */

import { z } from "zod";

export type Sizes = { tokens: number; limit: number };

const count = z.number().int().positive();
const llamaCppError = z.looseObject({ n_prompt_tokens: count, n_ctx: count });

/** The sizes that llama.cpp adds to an error as numbers: in older versions, only there. */
export function sizesIn(error: unknown): Sizes | null {
  const { data } = llamaCppError.safeParse(error);
  return data ? { tokens: data.n_prompt_tokens, limit: data.n_ctx } : null;
}

/** Named; some of its digits alone would be a different number. */
const completeNumber = String.raw`(?<![\d,.])(?<$1>\d[\d,]*)(?![\d,])`;

/**
 * How servers name the tokens of the prompt and of the window. `<over>`: how many are too many;
 * `<room>`: what the answer may take, which is not part of the prompt.
 */
const wordings = [
  // Messages API
  "prompt is too long:? <tokens> tokens? > <limit>",
  "exceed context limit: <tokens> \\+ <room> > <limit>",
  // llama.cpp
  "request \\(<tokens> tokens\\) exceeds the available context size \\(<limit> tokens",
  "requested tokens \\(<tokens>\\) exceed context window of <limit>",
  "<tokens> tokens,? max(?:imum)? context is <limit>",
  // vLLM, SGLang, Mistral
  "prompt \\(length <tokens>\\) is longer than the maximum model length of <limit>",
  "input \\(<tokens> tokens\\) is longer than the model's context length \\(<limit> tokens",
  "prompt contains <tokens> tokens.*? model with <limit> maximum context length",
  "passed <tokens> input tokens and requested <room> output tokens" +
    ".*? context length is only <limit> tokens",
  // Gemini, GitHub Copilot, MLX, Cerebras
  "input token count \\(?<tokens>\\)? exceeds the maximum number of tokens allowed \\(?<limit>",
  "prompt token count of <tokens> exceeds the limit of <limit>",
  "prompt length <tokens> exceeds model context window <limit>",
  "current length is <tokens> while limit is <limit>",
  // Text Generation Inference, Together, xAI
  "`inputs`.*? must (?:be <=|have less than) <limit>(?: tokens)?\\. Given: <tokens>",
  "maximum prompt length is <limit> but the request contains <tokens> tokens",
  // Cohere
  "too many tokens: size limit exceeded by <over> tokens.*? limit for this model is <limit> tokens",
  // vLLM and OpenAI: the tokens may include the room for the answer.
  "maximum context length is <limit> tokens.*?(?:requested|resulted in|contains?)[^\\d]*<tokens>",
  "maximum model length of <limit>.*?<tokens>",
  // LM Studio
  "keep the first <tokens> tokens when .*?context length of only <limit>",
].map((words) => new RegExp(words.replace(/<(\w+)>/g, completeNumber), "i"));

const unsized =
  /prompt (?:is )?too long|input is too long|context[_ ]?(?:length|window|size)[_ ]?(?:is |has been )?exceeded|reached context length|exceed(?:s|ed)? (?:the )?(?:model(?:'s)? |available |max(?:imum)? )*(?:context|model length)|maximum context length|exceed context limit|context the overflows|greater than the context length|request_too_large/i;

/** Whether the server says that the prompt is longer than its window. */
export const isTooLong = (said: string): boolean =>
  unsized.test(said) || wordings.some((wording) => wording.test(said));

/** Tokens of the prompt and of the window, when the server reports both. */
export function sizesOf(said: string): Sizes | null {
  const found = wordings.map((wording) => wording.exec(said)?.groups).find(Boolean);
  if (!found) return null;
  const { tokens, limit, over } = found;
  return {
    tokens: tokens ? numberIn(tokens) : numberIn(limit) + numberIn(over),
    limit: numberIn(limit),
  };
}

const numberIn = (digits = "0"): number => Number(digits.replaceAll(",", ""));
