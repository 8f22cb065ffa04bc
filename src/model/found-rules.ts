/** The rules of a model as a server reports them, and the settings that override them. */

import type { ModelRules } from "../protocol/model.ts";
import { oldTokenizer, returnsReasoning } from "./catalog.ts";
import type { Window } from "./discover-window.ts";

export type FoundRules = {
  rules: ModelRules;
  /** False when the server may answer better next time, such as once it is running. */
  certain: boolean;
  /** The window that the server says it has, in tokens. */
  reportedWindow?: number;
};

/** Asks once per model, and again while the answer is uncertain. */
export function cacheRules(
  find: (model: string) => Promise<FoundRules>,
): (model: string) => Promise<ModelRules> {
  const found = new Map<string, Promise<ModelRules>>();
  return (model) => {
    const known = found.get(model);
    if (known !== undefined) return known;
    const asked = find(model).then(({ rules, certain }) => {
      if (!certain) found.delete(model);
      return rules;
    });
    found.set(model, asked);
    return asked;
  };
}

/**
 * Rules for a model that a server runs itself, or that the catalog does not know: the window that the
 * server reports, else the one that local servers usually have; free as far as we can tell, without
 * a billed cache and without betas.
 */
export function localRules(model: string, window: Window | null): FoundRules {
  const windowTokens = window?.tokens ?? 32_768;
  const certain = window?.certain ?? false;
  const rules: ModelRules = {
    model,
    windowTokens,
    // At most a quarter of a small window is for the answer; the rest is left for the question.
    outputTokens: Math.min(8_192, Math.ceil(windowTokens / 4)),
    prices: { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
    thinking: returnsReasoning(model) ? "free" : "none",
    caches: false,
    cacheMinimumTokens: 0,
    compacts: false,
    countsTokens: false,
    charsPerToken: oldTokenizer,
  };
  return { rules, certain, ...(certain && { reportedWindow: windowTokens }) };
}

/** Settings that override what a server or the catalog says about a model. */
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
