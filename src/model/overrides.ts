/** Settings that overrule what a server or the catalogue says of a model. */

import type { ModelRules } from "../protocol/model.ts";

export type RuleOverrides = Partial<Omit<ModelRules, "model">>;

export function applyOverrides(rules: ModelRules, overrides: RuleOverrides = {}): ModelRules {
  const merged = { ...rules, ...overrides };
  // An answer cannot be longer than the window that it is part of.
  return { ...merged, outputTokens: Math.min(merged.outputTokens, merged.windowTokens) };
}
