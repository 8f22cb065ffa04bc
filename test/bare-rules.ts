/** The tiers exactly at their shares, whatever the cache holds, and nothing spared. */
export const bareRules = {
  minFreed: 0,
  keepCalls: 0,
  keepFileCalls: 0,
  budgetChars: 30_000,
  budgetTightChars: 15_000,
};
