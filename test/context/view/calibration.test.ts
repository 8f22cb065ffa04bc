/** What a session teaches the meter about its tokens. */

import { describe, expect, test } from "bun:test";
import { Calibration, defaultCharsPerToken } from "../../../src/context/view/calibration.ts";
import { newCharsByKind, type Kind } from "../../../src/context/view/char-count.ts";

const usual = { prose: 3.8, code: 3, result: 2.8 };

const counts = (chars: Partial<Record<Kind | "imageTokens", number>>) => ({
  ...newCharsByKind(),
  ...chars,
});

/** The ratios after texts of these lengths took these numbers of tokens. */
function learned(...calls: [Parameters<typeof counts>[0], tokens: number][]) {
  const calibration = new Calibration();
  for (const [chars, tokens] of calls) calibration.learn(counts(chars), tokens);
  const [prose, code, result] = (["prose", "code", "result"] as const).map((script) =>
    calibration.ratio(script, usual),
  );
  return { prose, code, result };
}

describe("characters per token", () => {
  test("of a model about which nothing is known", () => {
    expect(defaultCharsPerToken).toEqual(usual);
  });

  test("are the usual ones until a call has counted text, of any kind", () => {
    expect(learned()).toEqual(usual);
    expect(learned([{ user: 30_000 }, 6_000])).toEqual({ ...usual, prose: expect.any(Number) });
    expect(learned([{ toolInputs: 30_000 }, 6_000])).toEqual({
      ...usual,
      code: expect.any(Number),
    });
    expect(learned([{ toolResults: 30_000 }, 6_000])).toEqual({
      ...usual,
      result: expect.any(Number),
    });
  });

  test("weigh what was counted against 1,500 usual tokens", () => {
    const { prose } = learned([{ user: 7_500 }, 1_500]);
    expect(prose).toBeCloseTo((5 + usual.prose) / 2, 6);
  });

  test("follow the session: what was counted long ago counts less", () => {
    const early = Array.from({ length: 50 }, () => [{ user: 30_000 }, 6_000] as const);
    const late = Array.from({ length: 50 }, () => [{ user: 30_000 }, 15_000] as const);
    const both = learned(
      ...[...early, ...late].map(([chars, tokens]) => [chars, tokens] as [{}, number]),
    );
    expect(both.prose).toBeWithin(2, 2.6);
  });

  test("stay plausible", () => {
    expect(learned([{ user: 9_000_000 }, 100_000]).prose).toBe(7);
    expect(learned([{ user: 1_000_000 }, 9_000_000]).prose).toBe(1.2);
  });

  test("are not learned from a few words", () => {
    expect(learned([{ user: 59 }, 60], [{ user: 900 }, 19])).toEqual(usual);
    expect(learned([{ user: 60 }, 60]).prose).toBeLessThan(usual.prose);
    expect(learned([{ toolInputs: 60 }, 60]).code).toBeLessThan(usual.code);
    expect(learned([{ user: 900 }, 20]).prose).toBeGreaterThan(usual.prose);
  });

  test("are learned from mixed text by their shares, but not from a tenth of it", () => {
    const little = learned([{ toolResults: 28_000, user: 3_000 }, 5_000]);
    expect(little.prose).toBe(usual.prose);
    const enough = learned([{ toolResults: 28_000, user: 5_000 }, 5_000]);
    expect(enough.prose).toBeGreaterThan(usual.prose);
    expect((enough.prose ?? 0) / usual.prose).toBeLessThan((enough.result ?? 0) / usual.result);
  });

  test("leave out images, whose tokens are known", () => {
    expect(learned([{ user: 7_500, imageTokens: 1_600 }, 3_100])).toEqual(
      learned([{ user: 7_500 }, 1_500]),
    );
  });

  test("are forgotten with the tokenizer", () => {
    const calibration = new Calibration();
    calibration.learn(counts({ user: 30_000 }), 6_000);
    calibration.forget();
    expect(calibration.ratio("prose", usual)).toBe(usual.prose);
  });
});

describe("an estimate", () => {
  test("adds up each kind of text by its own ratio, and images", () => {
    const chars = counts({ user: 380, toolInputs: 300, toolResults: 280, imageTokens: 7 });
    expect(new Calibration().tokens(chars, usual)).toBeCloseTo(307, 9);
    expect(new Calibration().textTokens("toolInputs", 300, usual)).toBeCloseTo(100, 9);
  });

  test("may be off by half and 40 tokens at first; zero is always exact", () => {
    const calibration = new Calibration();
    expect([0, 100, 1_000].map((tokens) => calibration.expectedError(tokens))).toEqual([
      0, 90, 540,
    ]);
  });

  test("is trusted more after each that was right, and less after one that was wrong", () => {
    const calibration = new Calibration();
    for (let call = 0; call < 100; call++) calibration.adaptError(1_000, 1_000);
    const narrow = calibration.expectedError(1_000);
    expect(narrow).toBeWithin(200, 260);
    calibration.adaptError(1_000, 1_000 + narrow);
    expect(calibration.expectedError(1_000)).toBeLessThan(narrow);
    calibration.adaptError(1_000, 1_000 - narrow - 1);
    expect(calibration.expectedError(1_000)).toBeGreaterThan(narrow);
    for (let call = 0; call < 100; call++) calibration.adaptError(1_000, 9_000);
    expect(calibration.expectedError(1_000)).toBe(1_040);
  });
});
