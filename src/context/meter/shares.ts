/** Shares of the window: by tool, file, source and MCP server. */

import type { ModelRules, ToolDefinition } from "../../protocol/model.ts";
import type { Row, View } from "../types.ts";
import { findCall, rowCounter } from "../view/rows.ts";
import { tokensOfText } from "./meter.ts";

/** Tokens, and the number of items that hold them. */
export type Share = { name: string; tokens: number; items: number };

/** Results by the tool they came from, largest first. */
export const byTool = (view: View, countTokens: (row: Row) => number): Share[] =>
  addUp(view, countTokens, (row) => (row.entry.type === "result" ? [row.entry.tool] : []));

/** Definitions of tools that are sent, by the MCP server they come from, largest first. */
export function byDefinition(view: View, rules: ModelRules): Share[] {
  const groups = Map.groupBy(sentDefinitions(view), ({ name }) => {
    const server = /^mcp__((?:(?!__).)+)__/.exec(name)?.[1];
    return server === undefined ? "built-in tools" : `MCP server ${server}`;
  });
  return [...groups]
    .map(([name, tools]) => {
      return { name, tokens: definitionTokens(view, rules, tools), items: tools.length };
    })
    .sort((a, b) => b.tokens - a.tokens);
}

/** The program's messages to the model by title: instructions, notes, skills, hooks. Largest first. */
export const bySource = (view: View, countTokens: (row: Row) => number): Share[] =>
  addUp(view, countTokens, ({ entry }) => (entry.type === "context" ? [entry.title] : []));

/** Results by the files they show or wrote, largest first; several files share a result. */
export const byFile = (view: View, countTokens: (row: Row) => number): Share[] =>
  addUp(view, countTokens, (row) => listFiles(view, row));

function listFiles(view: View, { entry }: Row): string[] {
  if (entry.type !== "result") return [];
  if (entry.stamps && entry.stamps.length > 0)
    return [...new Set(entry.stamps.map(({ path }) => path))];
  const input = findCall(view, entry)?.input;
  const path = input?.["file_path"] ?? input?.["path"];
  if (typeof path !== "string") return [];
  // As stamps name it.
  return [/^(?:[/~]|\w:)/.test(path) ? path : `${view.session?.cwd}/${path}`];
}

function addUp(
  view: View,
  countTokens: (row: Row) => number,
  listNames: (row: Row) => string[],
): Share[] {
  const shares = new Map<string, Share>();
  for (const row of view.rows) {
    const names = listNames(row);
    const tokens = names.length === 0 ? 0 : countTokens(row);
    if (tokens === 0) continue;
    for (const name of names) {
      const share = shares.get(name) ?? { name, tokens: 0, items: 0 };
      share.tokens += tokens / names.length;
      share.items++;
      shares.set(name, share);
    }
  }
  return [...shares.values()].sort((a, b) => b.tokens - a.tokens);
}

/** The rows that take up tokens, largest first. */
export const largestFirst = (
  rows: readonly Row[],
  countTokens: (row: Row) => number,
): { row: Row; tokens: number }[] =>
  rows
    .map((row) => ({ row, tokens: countTokens(row) }))
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens);

/** Tokens that an MCP server adds to the context, and US dollars that they add to a call. */
export function serverCost(view: View, rules: ModelRules, server: string) {
  const isServerTool = (name: string): boolean => name.startsWith(`mcp__${server}__`);
  const own = sentDefinitions(view).filter(({ name }) => isServerTool(name));
  const definitions = definitionTokens(view, rules, own);
  const tokens = rowCounter(view, rules);
  const results = view.rows.reduce(
    (sum, row) =>
      row.entry.type === "result" && isServerTool(row.entry.tool) ? sum + tokens(row) : sum,
    0,
  );
  const callUsd = ((definitions + results) * rules.prices.cacheRead) / 1_000_000;
  return { sent: own.length, definitions, results, callUsd };
}

/** Tool definitions in the next request: from the start of the session and loaded since. */
function sentDefinitions({ session, rows }: View): ToolDefinition[] {
  const known = new Map((session?.tools ?? []).map((tool) => [tool.name, tool]));
  for (const { entry, shown } of rows)
    if (entry.type === "result" && shown === "whole")
      for (const tool of entry.loads ?? []) if (!known.has(tool.name)) known.set(tool.name, tool);
  return [...known.values()];
}

const definitionTokens = (
  view: View,
  rules: ModelRules,
  definitions: readonly ToolDefinition[],
): number =>
  definitions.length === 0
    ? 0
    : tokensOfText(view, rules, "tools", JSON.stringify(definitions).length);
