/** Settings that override what a server or the catalog says about a model. */

import type { ModelRules } from "../protocol/model.ts";
import type { FoundRules } from "./rules-cache.ts";

export type RuleOverrides = Partial<Omit<ModelRules, "model">>;

/** A window larger than the reported one is ignored: the server would refuse what fills it. */
export function applyOverrides(
  { rules, reportedWindow = Number.POSITIVE_INFINITY }: FoundRules,
  overrides: RuleOverrides = {},
): ModelRules {
  const merged = { ...rules, ...overrides };
  const windowTokens = Math.min(merged.windowTokens, reportedWindow);
  // The answer is part of the window.
  return { ...merged, windowTokens, outputTokens: Math.min(merged.outputTokens, windowTokens) };
}
