/** Costs of a session by subagent, MCP server and skill. */

import { blockText, type ToolInput } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";

/** `tokens`: that its results added to the context. */
export type CostRow = {
  name: string;
  calls: number;
  tokens: number;
  usd: number;
  /** False for subagents at known prices, whose cost is exact. */
  is_estimate: boolean;
};

/** Named as `-p --output-format json` prints them. */
export type Costs = { subagents: CostRow[]; mcp_servers: CostRow[]; skills: CostRow[] };

/**
 * A result is written to the cache once and read again by every later call. Cuts are not considered,
 * so that what servers and skills cost is an upper bound.
 */
export function costsBySource(
  path: readonly Entry[],
  { prices, charsPerToken }: Pick<ModelRules, "prices" | "charsPerToken">,
): Costs {
  const rows = {
    subagents: new Map<string, CostRow>(),
    mcp_servers: new Map<string, CostRow>(),
    skills: new Map<string, CostRow>(),
  };
  const add = (
    to: Map<string, CostRow>,
    { name, tokens, usd, is_estimate }: Omit<CostRow, "calls">,
  ): void => {
    const row = to.get(name);
    to.set(name, {
      name,
      calls: (row?.calls ?? 0) + 1,
      tokens: (row?.tokens ?? 0) + tokens,
      usd: (row?.usd ?? 0) + usd,
      is_estimate: is_estimate || (row?.is_estimate ?? false),
    });
  };
  const calls = new Map<string, ToolInput>();
  let callsLeft = path.filter(({ type }) => type === "assistant").length;
  for (const entry of path) {
    if (entry.type === "assistant") {
      callsLeft--;
      for (const block of entry.content)
        if (block.type === "tool_use") calls.set(block.id, block.input);
    }
    if (entry.type !== "result" && entry.type !== "context") continue;
    const tokens = Math.ceil(blockText(entry.content).length / charsPerToken.result);
    if (entry.subagent) {
      const { type: name, usd, isEstimate: is_estimate = false } = entry.subagent;
      add(rows.subagents, { name, tokens, usd, is_estimate });
      continue;
    }
    if (entry.type !== "result" || callsLeft === 0) continue;
    const perMillion = prices.cacheWrite5m + prices.cacheRead * (callsLeft - 1);
    const usd = (tokens * perMillion) / 1_000_000 + (entry.spent?.usd ?? 0);
    const estimate = { tokens, usd, is_estimate: true };
    const input = calls.get(entry.toolUse) ?? {};
    const [, server = entry.tool === "ReadMcpResource" ? input["server"] : undefined] =
      /^mcp__(.+?)__/.exec(entry.tool) ?? [];
    if (typeof server === "string") add(rows.mcp_servers, { name: server, ...estimate });
    const skill = entry.tool === "Skill" ? input["skill"] : undefined;
    if (typeof skill === "string")
      add(rows.skills, { name: skill.replace(/^\//, ""), ...estimate });
  }
  const dearest = (from: Map<string, CostRow>): CostRow[] =>
    [...from.values()].toSorted((a, b) => b.usd - a.usd);
  return {
    subagents: dearest(rows.subagents),
    mcp_servers: dearest(rows.mcp_servers),
    skills: dearest(rows.skills),
  };
}
