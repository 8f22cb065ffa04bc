/** What MCP servers add to the context: definitions of their tools, and results. Pure. */

import { tokensOf, tokensOfText } from "../../context/meter.ts";
import type { View } from "../../context/types.ts";
import { sentRows } from "../../context/walk-rows.ts";
import type { ModelRules, ToolDefinition } from "../../protocol/model.ts";

export type ServerCost = {
  /** Tools whose definitions are sent. */
  sent: number;
  /** Tokens of those definitions. */
  definitions: number;
  /** Tokens of its results in the context. */
  results: number;
  /** US dollars that both add to a call: while the cache is hot, and without. */
  perCall: { cached: number; uncached: number };
};

/** The definitions in a request now: those of the session, and those loaded since. */
export function sentDefinitions({ session, rows }: View): ToolDefinition[] {
  const known = new Map((session?.tools ?? []).map((tool) => [tool.name, tool]));
  for (const { entry, shown } of rows)
    if (entry.type === "result" && shown === "whole")
      for (const tool of entry.loads ?? []) if (!known.has(tool.name)) known.set(tool.name, tool);
  return [...known.values()];
}

export const definitionTokens = (
  view: View,
  rules: ModelRules,
  definitions: readonly ToolDefinition[],
): number =>
  definitions.length === 0
    ? 0
    : tokensOfText(view, rules, "tools", JSON.stringify(definitions).length);

export function costOfServer(view: View, rules: ModelRules, server: string): ServerCost {
  const isIts = (name: string): boolean => name.startsWith(`mcp__${server}__`);
  const own = sentDefinitions(view).filter(({ name }) => isIts(name));
  const definitions = definitionTokens(view, rules, own);
  const tokens = tokensOf(view, rules);
  const results = [...sentRows(view)].reduce(
    (sum, row) => (row.entry.type === "result" && isIts(row.entry.tool) ? sum + tokens(row) : sum),
    0,
  );
  const millions = (definitions + results) / 1_000_000;
  const { cacheRead, input } = rules.prices;
  return {
    sent: own.length,
    definitions,
    results,
    perCall: { cached: millions * cacheRead, uncached: millions * input },
  };
}
