import { describe, expect, test } from "bun:test";
import { PromptCache, type Line } from "./cache-model.ts";

const minute = 60_000;

/** Blocks of 1,000 tokens each; equal letters up to a block make an equal prefix. */
function line(letters: string): Line {
  let prefix = 7;
  const keys = [...letters].map((letter) => (prefix = prefix * 31 + letter.charCodeAt(0)));
  return { prefix: keys, tokens: keys.map((_, index) => (index + 1) * 1_000) };
}

/** Marks at these blocks, for five minutes. */
const marks = (...blocks: number[]) => blocks.map((block) => ({ block, ttlMs: 5 * minute }));

const billed = (input: number, cacheRead: number, cacheWrite: number) =>
  expect.objectContaining({ input, cacheRead, cacheWrite });

describe("the prompt cache", () => {
  test("writes up to the last mark, then reads it, and bills the rest in full", () => {
    const cache = new PromptCache(1_000);
    expect(cache.send(line("abcd"), marks(2), 0)).toEqual(billed(1_000, 0, 3_000));
    expect(cache.send(line("abcde"), marks(4), minute)).toEqual(billed(0, 3_000, 2_000));
  });

  test("reads only the identical prefix", () => {
    const cache = new PromptCache(1_000);
    cache.send(line("abcd"), marks(1, 3), 0);
    expect(cache.send(line("abXd"), marks(1, 3), 1)).toEqual(billed(0, 2_000, 2_000));
    expect(cache.send(line("Xbcd"), marks(1, 3), 2)).toEqual(billed(0, 0, 4_000));
  });

  test("lives five minutes from its last use", () => {
    const cache = new PromptCache(1_000);
    cache.send(line("ab"), marks(1), 0);
    expect(cache.send(line("ab"), marks(1), 4 * minute)).toEqual(billed(0, 2_000, 0));
    expect(cache.send(line("ab"), marks(1), 9 * minute)).toEqual(billed(0, 2_000, 0));
    expect(cache.send(line("ab"), marks(1), 14 * minute + 1)).toEqual(billed(0, 0, 2_000));
  });

  test("looks back twenty blocks from a mark and no further", () => {
    const near = new PromptCache(1_000);
    near.send(line("a"), marks(0), 0);
    expect(near.send(line("a".padEnd(20, "b")), marks(19), 1).cacheRead).toBe(1_000);
    const far = new PromptCache(1_000);
    far.send(line("a"), marks(0), 0);
    expect(far.send(line("a".padEnd(21, "b")), marks(20), 1).cacheRead).toBe(0);
  });

  test("keeps no prefix below the minimum, and takes four marks", () => {
    const cache = new PromptCache(2_500);
    expect(cache.send(line("ab"), marks(1), 0)).toEqual(billed(2_000, 0, 0));
    const many = new PromptCache(1_000);
    many.send(line("abcdef"), marks(0, 2, 3, 4, 5), 0);
    expect(many.send(line("aX"), marks(1), 1).cacheRead).toBe(0);
  });

  test("reports what was written for an hour", () => {
    const cache = new PromptCache(1_000);
    const long = [{ block: 1, ttlMs: 60 * minute }];
    expect(cache.send(line("ab"), long, 0).cacheWrite1h).toBe(2_000);
    expect(cache.send(line("ab"), long, 50 * minute).cacheRead).toBe(2_000);
  });

  test("keeps a head for an hour while what follows lives five minutes", () => {
    const cache = new PromptCache(1_000);
    const both = [{ block: 0, ttlMs: 60 * minute }, ...marks(3)];
    const first = cache.send(line("abcd"), both, 0);
    expect(first).toMatchObject({ cacheRead: 0, cacheWrite: 4_000, cacheWrite1h: 1_000 });
    const next = cache.send(line("abcd"), both, 30 * minute);
    expect(next).toMatchObject({ cacheRead: 1_000, cacheWrite: 3_000, cacheWrite1h: 0 });
    expect(cache.send(line("abcd"), both, 34 * minute)).toMatchObject({ cacheRead: 4_000 });
    // The head was last read after 34 minutes; an hour later it has expired.
    expect(cache.send(line("abcd"), both, 95 * minute)).toMatchObject({ cacheRead: 0 });
  });
});
