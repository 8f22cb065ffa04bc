import { expect, test } from "bun:test";
import { isTooLong, sizesOf } from "../../src/model/too-long.ts";

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
])("reads the sizes in: %s", (said, tokens, limit) => {
  expect(isTooLong(said)).toBe(true);
  expect(sizesOf(said)).toEqual({ tokens, limit });
});

test.each(["context_length_exceeded", "the request exceeds the available context size"])(
  "knows %p without sizes",
  (said) => {
    expect(isTooLong(said)).toBe(true);
    expect(sizesOf(said)).toBeNull();
  },
);

test.each([
  "max_tokens: 200000 > 128000",
  "messages: text content blocks must be non-empty",
  "Overloaded",
  "",
])("is not misled by %p", (said) => {
  expect(isTooLong(said)).toBe(false);
});
