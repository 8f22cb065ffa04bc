import { expect, test } from "bun:test";
import { applyOverrides, cacheRules, localRules } from "../../src/model/rules.ts";

const usual = localRules("m", null).rules;

test("a server is asked again until it is certain, and no longer", async () => {
  const asked: string[] = [];
  const rules = cacheRules(async (model) => {
    asked.push(model);
    return { rules: localRules(model, null).rules, certain: asked.length > 1 };
  });
  await rules("a");
  await rules("a");
  await rules("a");
  expect(asked).toEqual(["a", "a"]);
  expect((await rules("b")).model).toBe("b");
});

test("calls at the same time ask once", async () => {
  let asked = 0;
  const rules = cacheRules(async () => ({ rules: usual, certain: ++asked > 0 }));
  await Promise.all([rules("a"), rules("a")]);
  expect(asked).toBe(1);
});

test("a window that the server does not report is not certain", () => {
  expect(localRules("m", null)).toEqual({ rules: usual, certain: false });
});

test("an answer takes at most a quarter of the window", () => {
  const small = localRules("m", { tokens: 4_001, certain: true });
  expect(small.rules).toEqual({
    ...usual,
    windowTokens: 4_001,
    outputTokens: 1_001,
    outputCeiling: 2_000,
  });
  expect(small).toMatchObject({ certain: true, reportedWindow: 4_001 });
  const large = localRules("m", { tokens: 10_000_000, certain: false });
  expect(large.rules.outputTokens).toBe(usual.outputTokens);
  expect(large.certain).toBe(false);
  expect(large.reportedWindow).toBeUndefined();
});

test("a setting makes the window smaller than the server's, not larger", () => {
  const found = { rules: usual, certain: true, reportedWindow: 8_000 };
  expect(applyOverrides(found, { windowTokens: 6_000 }).windowTokens).toBe(6_000);
  expect(applyOverrides(found, { windowTokens: 9_000 }).windowTokens).toBe(8_000);
  const unknown = { rules: usual, certain: false };
  expect(applyOverrides(unknown, { windowTokens: 9_000 }).windowTokens).toBe(9_000);
  expect(applyOverrides(unknown)).toEqual(usual);
});

test("an answer is not longer than the window", () => {
  const found = { rules: usual, certain: true };
  const rules = applyOverrides(found, { windowTokens: 900, outputTokens: 1_000 });
  expect(rules.outputTokens).toBe(900);
});
