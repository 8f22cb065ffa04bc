/**
 * One chunk of a chat completion. Servers differ in nearly every field: fields that only describe
 * the answer may be missing or malformed. Text, names and arguments in an unknown form are refused,
 * because leaving them out would change the answer.
 */

import { z } from "zod";

/** Some send counts as text, or with a fraction. */
const count = z.coerce.number().nonnegative().finite().transform(Math.round).nullish().catch(null);

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
  tool_calls: z.array(callPart).nullish(),
  /** What came before `tool_calls`; some servers still answer with it. */
  function_call: namedCall.catch(null),
});

export const chatChunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: message.nullish(),
        /** The whole answer, from a server that does not stream. */
        message: message.nullish(),
        finish_reason: word,
      }),
    )
    .nullish(),
  usage: z
    .looseObject({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.looseObject({ cached_tokens: count }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

export type ChatChunk = z.infer<typeof chatChunk>;
export type CallPart = z.infer<typeof callPart>;
