import { describe, expect, test } from "bun:test";
import { PromptCache, type Line } from "../../src/replay/cache-model.ts";

const minute = 60_000;
const rules = { minimumTokens: 1_000, ttlMs: 5 * minute };

/** Blocks of 1,000 tokens each; equal letters up to a block make an equal prefix. */
function line(letters: string): Line {
  let prefix = 7;
  const keys = [...letters].map((letter) => (prefix = prefix * 31 + letter.charCodeAt(0)));
  return { prefix: keys, tokens: keys.map((_, index) => (index + 1) * 1_000) };
}

const billed = (input: number, cacheRead: number, cacheWrite: number) =>
  expect.objectContaining({ input, cacheRead, cacheWrite });

describe("the prompt cache", () => {
  test("writes up to the last mark, then reads it, and bills the rest in full", () => {
    const cache = new PromptCache(rules);
    expect(cache.send(line("abcd"), [2], 0)).toEqual(billed(1_000, 0, 3_000));
    expect(cache.send(line("abcde"), [4], minute)).toEqual(billed(0, 3_000, 2_000));
  });

  test("reads only what is the same from the very start", () => {
    const cache = new PromptCache(rules);
    cache.send(line("abcd"), [1, 3], 0);
    expect(cache.send(line("abXd"), [1, 3], 1)).toEqual(billed(0, 2_000, 2_000));
    expect(cache.send(line("Xbcd"), [1, 3], 2)).toEqual(billed(0, 0, 4_000));
  });

  test("lives five minutes from its last use", () => {
    const cache = new PromptCache(rules);
    cache.send(line("ab"), [1], 0);
    expect(cache.send(line("ab"), [1], 4 * minute)).toEqual(billed(0, 2_000, 0));
    expect(cache.send(line("ab"), [1], 9 * minute)).toEqual(billed(0, 2_000, 0));
    expect(cache.send(line("ab"), [1], 14 * minute + 1)).toEqual(billed(0, 0, 2_000));
  });

  test("looks back twenty blocks from a mark and no further", () => {
    const near = new PromptCache(rules);
    near.send(line("a"), [0], 0);
    expect(near.send(line("a".padEnd(20, "b")), [19], 1).cacheRead).toBe(1_000);
    const far = new PromptCache(rules);
    far.send(line("a"), [0], 0);
    expect(far.send(line("a".padEnd(21, "b")), [20], 1).cacheRead).toBe(0);
  });

  test("keeps no prefix below the minimum, and takes four marks", () => {
    const cache = new PromptCache({ ...rules, minimumTokens: 2_500 });
    expect(cache.send(line("ab"), [1], 0)).toEqual(billed(2_000, 0, 0));
    const many = new PromptCache(rules);
    many.send(line("abcdef"), [0, 2, 3, 4, 5], 0);
    expect(many.send(line("aX"), [1], 1).cacheRead).toBe(0);
  });

  test("tells what was written for an hour", () => {
    const cache = new PromptCache({ ...rules, ttlMs: 60 * minute });
    expect(cache.send(line("ab"), [1], 0).cacheWrite1h).toBe(2_000);
    expect(cache.send(line("ab"), [1], 50 * minute).cacheRead).toBe(2_000);
  });
});
