/** Settings that override what a server or the catalogue says about a model. */

import type { ModelRules } from "../protocol/model.ts";

export type RuleOverrides = Partial<Omit<ModelRules, "model">>;

export function applyOverrides(rules: ModelRules, overrides: RuleOverrides = {}): ModelRules {
  const merged = { ...rules, ...overrides };
  // The answer is part of the window.
  return { ...merged, outputTokens: Math.min(merged.outputTokens, merged.windowTokens) };
}
