import type { Kind } from "../context/char-count.ts";
import type { MeterReading } from "../context/types.ts";
import type { Policy } from "../protocol/policy.ts";

const names: [kind: Kind, name: string][] = [
  ["system", "System prompt"],
  ["tools", "System tools"],
  ["instructions", "Memory files"],
  ["user", "User messages"],
  ["assistant", "Answers"],
  ["thinking", "Thinking"],
  ["toolInputs", "Tool calls"],
  ["toolResults", "Tool results"],
  ["summary", "Summaries"],
];

/** The meter, as the request `get_context_usage` reports it. */
export function contextUsage(
  { breakdown, usedTokens, windowTokens, effectiveTokens }: MeterReading,
  policy: Policy,
  model: string,
): object {
  const used = names.map(([kind, name]) => {
    return { name, tokens: Math.round(breakdown[kind]), color: "", kind: "used" };
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
