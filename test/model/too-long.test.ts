import { expect, test } from "bun:test";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import { buildRequest, run } from "./calls.ts";

/** The error of a call that is refused with these words. */
async function refusal(message: string) {
  const fetch = async () => Response.json({ error: { message } }, { status: 400 });
  const client = createOpenAiClient({ baseUrl: "http://local/v1", fetch });
  return (await run(client, buildRequest({ model: "m", tools: [] }))).error;
}

test.each([
  ["prompt is too long: 208310 tokens > 200000 maximum", 208_310, 200_000],
  ["prompt is too long: 1,208,310 tokens > 1,000,000 maximum", 1_208_310, 1_000_000],
  [
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    188_240,
    200_000,
  ],
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9130 tokens.",
    9_130,
    8_192,
  ],
  [
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
    5_000,
    4_096,
  ],
  [
    "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
    9_000,
    4_096,
  ],
  ["Requested tokens (2285) exceed context window of 2048", 2_285, 2_048],
  [
    "Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    6_000,
    4_096,
  ],
  [
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that",
    9_000,
    8_192,
  ],
  [
    "You passed 8193 input tokens and requested 1024 output tokens. However, the model's context length is only 8192 tokens, resulting in",
    8_193,
    8_192,
  ],
  [
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    9_000,
    8_192,
  ],
  [
    "Prompt contains 9000 tokens and 0 draft tokens, too large for model with 8192 maximum context length",
    9_000,
    8_192,
  ],
  [
    "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
    9_000,
    8_192,
  ],
  ["prompt token count of 9000 exceeds the limit of 8192", 9_000, 8_192],
  ["Prompt length 9000 exceeds model context window 8192", 9_000, 8_192],
  ["Current length is 9000 while limit is 8192", 9_000, 8_192],
  [
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000 `inputs` tokens and 1000",
    9_000,
    8_192,
  ],
  [
    "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)",
    9_000,
    8_192,
  ],
  ["Input length 9000 exceeds maximum allowed token size 8192", 9_000, 8_192],
  ["`inputs` must have less than 8192 tokens. Given: 9000", 9_000, 8_192],
  [
    "This model's maximum prompt length is 8192 but the request contains 9000 tokens.",
    9_000,
    8_192,
  ],
  [
    "too many tokens: size limit exceeded by 812 tokens. Try fewer. The limit for this model is 8192 tokens.",
    9_004,
    8_192,
  ],
  ["Prompt is 9000 tokens, max context is 8192. Prompt too long.", 9_000, 8_192],
])("reads the sizes in: %s", async (said, tokens, limit) => {
  expect(await refusal(said)).toMatchObject({ kind: "too-long", sizes: { tokens, limit } });
});

test.each([
  "context_length_exceeded",
  "the request exceeds the available context size",
  "Context size has been exceeded.",
  "Prompt exceeds max length",
  "invalid params, context window exceeds limit (2013)",
  "Please reduce the length of the messages or completion.",
  "Your input exceeds the context window of this model.",
  "Reached context length of 8192 tokens with model (arch:qwen3)",
  "the input length exceeds the context length",
  "prompt too long; exceeded max context length by 812 tokens",
  "Input is too long for requested model.",
  "litellm.ContextWindowExceededError: too much",
])("knows %p without sizes", async (said) => {
  expect(await refusal(said)).toMatchObject({ kind: "too-long", sizes: undefined });
});

test.each([
  "max_tokens: 200000 > 128000",
  "messages: text content blocks must be non-empty",
  "Overloaded",
  "",
])("is not misled by %p", async (said) => {
  expect((await refusal(said))?.kind).toBe("invalid");
});
