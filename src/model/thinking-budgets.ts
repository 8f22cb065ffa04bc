import { efforts, type Effort } from "../protocol/model.ts";

/** Tokens of thinking for a model that has no levels of effort. */
export const thinkingBudgets: Record<Effort, number> = {
  low: 4_000,
  medium: 8_000,
  high: 16_000,
  xhigh: 32_000,
  max: 64_000,
};

/** The highest level whose budget is at most `tokens`; the lowest one when all are larger. */
export const effortWithin = (tokens: number): Effort =>
  efforts.findLast((effort) => thinkingBudgets[effort] <= tokens) ?? "low";
