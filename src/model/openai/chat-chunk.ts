/**
 * A chunk of a chat completion. Fields that only describe the answer may be missing or malformed.
 */

import { z } from "zod";
import { count } from "../read-answer.ts";

const string = z.string().nullish().catch(null);

const word = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);

/** Mistral sends a list of parts, including its reasoning. */
const text = z
  .union([
    z.string(),
    z
      .array(z.looseObject({ text: z.string().optional() }).catch({}))
      .transform((parts) => parts.map((part) => part.text ?? "").join("")),
  ])
  .nullish();

const fields = z.record(z.string(), z.unknown());

const namedCall = z
  .looseObject({
    name: z.string().nullish(),
    /** Some gateways forget to serialize arguments that they hold as an object. */
    arguments: z
      .union([
        z.string(),
        z.record(z.string(), z.unknown()).transform((input) => JSON.stringify(input)),
      ])
      .nullish(),
  })
  .nullish();

const callPart = z.looseObject({
  index: z.coerce.number().int().nonnegative().catch(0),
  id: word,
  function: namedCall,
});

const message = z.looseObject({
  content: text,
  refusal: z.string().nullish(),
  /** DeepSeek, llama.cpp and LM Studio; Ollama and vLLM call it `reasoning`. */
  reasoning_content: string,
  reasoning: string,
  /** OpenRouter, which wants them back. */
  reasoning_details: z.array(fields).nullish().catch(null),
  tool_calls: z.array(callPart).nullish(),
  /** The predecessor of `tool_calls`; some servers still answer with it. */
  function_call: namedCall.catch(null),
});

const usage = z
  .looseObject({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: z.looseObject({ cached_tokens: count }).nullish().catch(null),
    /** Moonshot, and DeepSeek. */
    cached_tokens: count,
    prompt_cache_hit_tokens: count,
  })
  .nullish()
  .catch(null);

export const chatChunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        index: z.coerce.number().nullish().catch(null),
        delta: message.nullish(),
        /** The whole answer, from a server that does not stream. */
        message: message.nullish(),
        finish_reason: word,
        /** Moonshot. */
        usage,
      }),
    )
    .nullish(),
  usage,
  /** Who answered, at OpenRouter. */
  provider: string,
  /** Groq. */
  x_groq: z.looseObject({ usage }).nullish().catch(null),
});

export type ChatChunk = z.infer<typeof chatChunk>;
export type CallPart = z.infer<typeof callPart>;
