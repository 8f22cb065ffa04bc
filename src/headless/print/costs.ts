/** A session's costs by what caused them: subagents, MCP servers and skills. */

import { textOf } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";

/** `tokens`: that its results added; `usd`: of a subagent exactly, of the others an estimate. */
type Row = { name: string; calls: number; tokens: number; usd: number };

export type Costs = { subagents: Row[]; mcp_servers: Row[]; skills: Row[] };

/**
 * A result is written to the cache once and read again by every later call. Cuts are not considered,
 * so that what servers and skills cost is an upper bound.
 */
export function costsBySource(
  path: readonly Entry[],
  { prices, charsPerToken }: Pick<ModelRules, "prices" | "charsPerToken">,
): Costs {
  const rows = {
    subagents: new Map<string, Row>(),
    mcp_servers: new Map<string, Row>(),
    skills: new Map<string, Row>(),
  };
  const add = (to: Map<string, Row>, name: string, tokens: number, usd: number): void => {
    const row = to.get(name) ?? { name, calls: 0, tokens: 0, usd: 0 };
    to.set(name, {
      name,
      calls: row.calls + 1,
      tokens: row.tokens + tokens,
      usd: row.usd + usd,
    });
  };
  const skills = new Map<string, string>();
  let callsLeft = path.filter(({ type }) => type === "assistant").length;
  for (const entry of path) {
    if (entry.type === "assistant") {
      callsLeft--;
      for (const block of entry.content)
        if (block.type === "tool_use" && block.name === "Skill") {
          const { skill } = block.input;
          if (typeof skill === "string") skills.set(block.id, skill);
        }
    }
    if (entry.type !== "result" && entry.type !== "context") continue;
    const tokens = Math.ceil(textOf(entry.content).length / charsPerToken.result);
    if (entry.subagent) {
      add(rows.subagents, entry.subagent.type, tokens, entry.subagent.usd);
      continue;
    }
    if (entry.type !== "result" || callsLeft === 0) continue;
    const perMillion = prices.cacheWrite5m + prices.cacheRead * (callsLeft - 1);
    const usd = (tokens * perMillion) / 1_000_000 + (entry.spent?.usd ?? 0);
    const [, server] = /^mcp__(.+?)__/.exec(entry.tool) ?? [];
    if (server !== undefined) add(rows.mcp_servers, server, tokens, usd);
    const skill = skills.get(entry.toolUse);
    if (skill !== undefined) add(rows.skills, skill, tokens, usd);
  }
  const dearest = (from: Map<string, Row>): Row[] =>
    [...from.values()].toSorted((a, b) => b.usd - a.usd);
  return {
    subagents: dearest(rows.subagents),
    mcp_servers: dearest(rows.mcp_servers),
    skills: dearest(rows.skills),
  };
}
