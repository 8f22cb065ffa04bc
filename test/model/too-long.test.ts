import { expect, test } from "bun:test";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import { buildRequest, run } from "./calls.ts";
import { chatServer, refuse } from "./chat-server.ts";

/** The error of a call that is refused with these words. */
async function refusal(message: string) {
  const { fetch } = chatServer(() => refuse({ message }));
  const client = createOpenAiClient({ baseUrl: "http://local/v1", fetch });
  return (await run(client, buildRequest({ model: "m", tools: [] }))).error;
}

/** How servers say that a prompt of 9,000 tokens does not fit into 8,192. */
test.each([
  "prompt is too long: 9000 tokens > 8192 maximum",
  "prompt is too long: 9,000 tokens > 8,192 maximum",
  "input length and `max_tokens` exceed context limit: 9000 + 21333 > 8192, decrease input length",
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
  "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
  "Requested tokens (9000) exceed context window of 8192",
  "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens",
  "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that",
  "You passed 9000 input tokens and requested 1024 output tokens. However, the model's context length is only 8192 tokens, resulting in",
  "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
  "Prompt contains 9000 tokens and 0 draft tokens, too large for model with 8192 maximum context length",
  "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
  "prompt token count of 9000 exceeds the limit of 8192",
  "Prompt length 9000 exceeds model context window 8192",
  "Current length is 9000 while limit is 8192",
  "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000 `inputs` tokens and 1000",
  "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)",
  "Input length (9000) exceeds model's maximum context length (8192).",
  "Input length 9000 exceeds maximum allowed token size 8192",
  "`inputs` must have less than 8192 tokens. Given: 9000",
  "This model's maximum prompt length is 8192 but the request contains 9000 tokens.",
  "too many tokens: size limit exceeded by 808 tokens. Try fewer. The limit for this model is 8192 tokens.",
  "Prompt is 9000 tokens, max context is 8192. Prompt too long.",
])("reads the sizes in: %s", async (said) => {
  const sizes = { tokens: 9_000, limit: 8_192 };
  expect(await refusal(said)).toMatchObject({ kind: "too-long", sizes });
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
