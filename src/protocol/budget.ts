/** Caps on what may be spent, in US dollars. */

export const budgetScopes = ["session", "day", "project"] as const;
export type BudgetScope = (typeof budgetScopes)[number];

/** A cap and what counts toward it so far: subagents and background work, too. */
export type BudgetState = { scope: BudgetScope; capUsd: number; spentUsd: number };

export const isBudgetScope = (name: string): name is BudgetScope =>
  budgetScopes.some((scope) => scope === name);

/** "today" for the day, "this session" and "this project" for the others. */
export const budgetName = (scope: BudgetScope): string =>
  scope === "day" ? "today" : `this ${scope}`;

/** Cost of a run so far, in US dollars. Shared with the session's subagents. */
export type Spending = { usd: number };
