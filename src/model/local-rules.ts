import { localRulesOf } from "./catalog.ts";
import { discoverWindow, type ModelServer } from "./discover-window.ts";
import type { FoundRules } from "./rules-cache.ts";

/**
 * Rules for a model that the catalog does not know: the window that the server reports, else a
 * small one; free, without a cache and without betas. Never throws.
 */
export async function localRules(server: ModelServer, model: string): Promise<FoundRules> {
  const rules = localRulesOf(model);
  const window = await discoverWindow(server, model);
  if (window === null) return { rules, certain: false };
  return {
    // At most a quarter of a small window is for the answer; the rest is left for the question.
    rules: {
      ...rules,
      windowTokens: window.tokens,
      outputTokens: Math.min(rules.outputTokens, Math.ceil(window.tokens / 4)),
    },
    certain: window.certain,
    ...(window.certain && { reportedWindow: window.tokens }),
  };
}
