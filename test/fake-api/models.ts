/** The fake's models. Written independently of the product's catalog. */

export type FakeModel = {
  windowTokens: number;
  outputTokens: number;
  cacheMinimumTokens: number;
  /** "bound": thinking is tied to what precedes it; "free": only its signature is checked. */
  thinking: "none" | "free" | "bound";
  /** Accepted values of `thinking.type`. */
  thinkingTypes: readonly ("adaptive" | "enabled" | "disabled" | "between_tools")[];
  /** Accepted values of `output_config.effort`, and the beta that they need. */
  efforts: readonly string[];
  effortBeta?: string;
  /** Whether the model thinks when the request has no `thinking`. */
  thinksByDefault: boolean;
  /** How thinking is shown when the request does not say. */
  display: "summarized" | "omitted";
  compacts: boolean;
  /** Whether tools may be deferred, and are offered where a result refers to them. */
  defersTools: boolean;
};

const current: FakeModel = {
  windowTokens: 1_000_000,
  outputTokens: 128_000,
  cacheMinimumTokens: 512,
  thinking: "bound",
  thinkingTypes: ["adaptive"],
  efforts: ["low", "medium", "high", "xhigh", "max"],
  thinksByDefault: true,
  display: "omitted",
  compacts: true,
  defersTools: true,
};

const older: FakeModel = {
  windowTokens: 200_000,
  outputTokens: 64_000,
  cacheMinimumTokens: 1_024,
  thinking: "free",
  thinkingTypes: ["enabled", "disabled"],
  efforts: [],
  thinksByDefault: false,
  display: "summarized",
  compacts: false,
  defersTools: true,
};

export const fakeModels: Readonly<Record<string, FakeModel>> = {
  "claude-fable-5-2": current,
  "claude-opus-5-5": current,
  "claude-sonnet-5-5": {
    ...current,
    cacheMinimumTokens: 1_024,
    thinkingTypes: ["adaptive", "between_tools"],
  },
  "claude-haiku-5-5": { ...current, cacheMinimumTokens: 1_024 },
  "claude-sonnet-5": {
    ...current,
    thinking: "free",
    thinkingTypes: ["adaptive", "disabled"],
    compacts: false,
  },
  "claude-opus-4-5": {
    ...older,
    cacheMinimumTokens: 4_096,
    efforts: ["low", "medium", "high"],
    effortBeta: "effort-2025-11-24",
  },
  "claude-sonnet-4-5": older,
  "claude-haiku-4-5": { ...older, cacheMinimumTokens: 4_096 },
};
