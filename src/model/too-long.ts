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

/** A complete number: some of its digits alone would be a different one. */
const n = String.raw`(?<![\d,.])(\d[\d,]*)(?![\d,])`;
const pattern = (source: string): RegExp => new RegExp(source.replaceAll("N", n), "i");

/** Each with how to read its numbers. */
const wordings: [RegExp, (numbers: number[]) => Sizes][] = [
  // Messages API
  [pattern("prompt is too long:? N tokens? > N"), pair],
  // The second number is the room asked for the answer, which is not part of the prompt.
  [pattern("exceed context limit: N \\+ N > N"), ([prompt, , limit]) => sizes(prompt, limit)],
  // llama.cpp
  [pattern("request \\(N tokens\\) exceeds the available context size \\(N tokens"), pair],
  [pattern("requested tokens \\(N\\) exceed context window of N"), pair],
  [pattern("N tokens,? max(?:imum)? context is N"), pair],
  // vLLM, SGLang, Mistral
  [pattern("prompt \\(length N\\) is longer than the maximum model length of N"), pair],
  [pattern("input \\(N tokens\\) is longer than the model's context length \\(N tokens"), pair],
  [pattern("prompt contains N tokens.*? model with N maximum context length"), pair],
  [
    pattern(
      "passed N input tokens and requested N output tokens.*? context length is only N tokens",
    ),
    ([prompt, , limit]) => sizes(prompt, limit),
  ],
  // Gemini, GitHub Copilot, MLX, Cerebras
  [pattern("input token count \\(?N\\)? exceeds the maximum number of tokens allowed \\(?N"), pair],
  [pattern("prompt token count of N exceeds the limit of N"), pair],
  [pattern("prompt length N exceeds model context window N"), pair],
  [pattern("current length is N while limit is N"), pair],
  // Text Generation Inference, Together, xAI: limit first.
  [pattern("`inputs`.*? must (?:be <=|have less than) N(?: tokens)?\\. Given: N"), reversed],
  [pattern("maximum prompt length is N but the request contains N tokens"), reversed],
  // Cohere
  [
    pattern("too many tokens: size limit exceeded by N tokens.*? limit for this model is N tokens"),
    ([over = 0, limit = 0]) => sizes(over + limit, limit),
  ],
  // vLLM and OpenAI: limit first; the second number may include the room for the answer.
  [
    pattern("maximum context length is N tokens.*?(?:requested|resulted in|contains?)[^\\d]*N"),
    reversed,
  ],
  [pattern("maximum model length of N.*?N"), reversed],
  // LM Studio
  [pattern("keep the first N tokens when .*?context length of only N"), pair],
];

const unsized =
  /prompt (?:is )?too long|input is too long|context[_ ]?(?:length|window|size)[_ ]?(?:is |has been )?exceeded|reached context length|exceed(?:s|ed)? (?:the )?(?:model(?:'s)? |available |max(?:imum)? )*(?:context|model length)|maximum context length|exceed context limit|context the overflows|greater than the context length|request_too_large/i;

/** Whether the server says that the prompt is longer than its window. */
export const isTooLong = (said: string): boolean =>
  unsized.test(said) || wordings.some(([wording]) => wording.test(said));

/** Tokens of the prompt and of the window, when the server reports both. */
export function sizesOf(said: string): Sizes | null {
  for (const [wording, read] of wordings) {
    const match = wording.exec(said);
    if (match !== null)
      return read(match.slice(1).map((digits) => Number(digits.replaceAll(",", ""))));
  }
  return null;
}

function sizes(tokens: number | undefined, limit: number | undefined): Sizes {
  return { tokens: tokens ?? 0, limit: limit ?? 0 };
}

function pair([tokens, limit]: number[]): Sizes {
  return sizes(tokens, limit);
}

function reversed([limit, tokens]: number[]): Sizes {
  return sizes(tokens, limit);
}
