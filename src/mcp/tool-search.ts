/** Finds tools whose definitions are not sent, and loads them into the conversation. */

import { z } from "zod";
import { defineTool } from "../tools/define.ts";
import type { Tool } from "../tools/tool.ts";

export type Catalog = {
  /** All tools that are known now. */
  tools(): readonly Tool<unknown>[];
  /** Names of servers that are still connecting. */
  connecting(): readonly string[];
  /** Resolves when no server is connecting any more, or after a moment. */
  settled(): Promise<void>;
};

const input = z.object({
  query: z.string().describe("Words, or select:NAME,NAME"),
});

/** Tools that one search by words loads. */
const mostFound = 5;

/** Loading is no permission: the tools that it finds ask for their own. */
export const toolSearchTool = (catalog: Catalog): Tool<z.infer<typeof input>> => ({
  name: "ToolSearch",
  description:
    "Loads tools of MCP servers, so that they can be called. The conversation lists servers and names.",
  schema: input,
  readOnly: true,
  intent: async ({ query }) => ({
    access: { kind: "none" },
    title: `Search tools: ${query}`,
    detail: "",
    detailKind: "text",
  }),
  async run({ query }) {
    const find = () => matches(catalog.tools(), query, mostFound);
    if (find().length === 0 && catalog.connecting().length > 0) await catalog.settled();
    const found = find();
    if (found.length === 0) return { content: [{ type: "text", text: nothing(catalog) }] };
    const text = `Loaded: ${found.map(({ name }) => name).join(", ")}. Call them now.`;
    return { content: [{ type: "text", text }], loads: found.map(defineTool) };
  },
});

function nothing(catalog: Catalog): string {
  const waiting = catalog.connecting();
  const count = catalog.tools().length;
  const still = waiting.length === 0 ? "" : ` Still connecting: ${waiting.join(", ")}.`;
  return `No tool matches; ${count} are known.${still}`;
}

export function matches(
  tools: readonly Tool<unknown>[],
  query: string,
  most: number,
): readonly Tool<unknown>[] {
  const chosen = /^\s*select:(.*)$/s.exec(query)?.[1];
  if (chosen !== undefined) {
    const names = chosen.split(",").map((name) => name.trim());
    return tools.filter(({ name }) => names.includes(name));
  }
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ tool }) => tool);
}

/** A word in the name counts more than one in the description. */
function scoreOf({ name, description }: Tool<unknown>, words: readonly string[]): number {
  const parts = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const text = description.toLowerCase();
  return words.reduce((score, word) => {
    if (parts.includes(word)) return score + 10;
    if (name.toLowerCase().includes(word)) return score + 5;
    return score + (text.includes(word) ? 1 : 0);
  }, 0);
}
