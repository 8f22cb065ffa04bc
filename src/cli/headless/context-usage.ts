import type { Kind } from "../../context/char-count.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { readMeter } from "../read-meter.ts";

const names: Record<Kind, string> = {
  system: "System prompt",
  tools: "System tools",
  instructions: "Memory files",
  user: "User messages",
  assistant: "Answers",
  thinking: "Thinking",
  toolInputs: "Tool calls",
  toolResults: "Tool results",
  summary: "Summaries",
};

/** The meter, as the request `get_context_usage` reports it. */
export function contextUsage(
  path: readonly Entry[],
  rules: ModelRules,
  policy: Policy,
  model: string,
): object {
  const reading = readMeter(path, rules, policy);
  const { breakdown, usedTokens, windowTokens, effectiveTokens } = reading;
  const used = Object.entries(names).map(([kind, name]) => {
    return { name, tokens: Math.round(tokensOf(breakdown, kind)), color: "", kind: "used" };
  });
  const free = Math.max(0, windowTokens - usedTokens);
  return {
    categories: [...used, { name: "Free space", tokens: free, color: "", kind: "free" }],
    totalTokens: usedTokens,
    maxTokens: windowTokens,
    rawMaxTokens: windowTokens,
    percentage: Math.round((100 * usedTokens) / windowTokens),
    gridRows: [],
    model,
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    autoCompactThreshold: Math.round(effectiveTokens * policy.summaryAt),
    isAutoCompactEnabled: policy.autoCompact === "on" && policy.compaction === "on",
    apiUsage: null,
  };
}

const tokensOf = (breakdown: Record<string, number>, kind: string): number => breakdown[kind] ?? 0;
