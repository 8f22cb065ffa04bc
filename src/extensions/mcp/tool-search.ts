/** Finds tools whose definitions are not sent, and loads them into the conversation. */

import { z } from "zod";
import { clip } from "../../base/clip.ts";
import { defineTool } from "../../tools/accept.ts";
import { touchesNothing, type Tool } from "../../tools/tool.ts";

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
const maxFound = 5;

/** Loading grants no permission: each tool it finds needs its own. */
export const toolSearchTool = (catalog: Catalog): Tool<z.infer<typeof input>> => ({
  name: "ToolSearch",
  description: "Loads tools of MCP servers, for you to call. The conversation names them.",
  schema: input,
  readOnly: true,
  intent: async ({ query }) => touchesNothing(`Search tools: ${query}`),
  async run({ query }) {
    const find = () => search(catalog.tools(), query);
    // A missing tool may belong to a server that is still connecting.
    const isComplete = ({ found, missing }: FoundTools) => found.length > 0 && missing.length === 0;
    if (!isComplete(find()) && catalog.connecting().length > 0) await catalog.settled();
    const { found, missing } = find();
    const text = [
      found.length === 0
        ? `No tool matches; ${catalog.tools().length} are known.`
        : `Loaded: ${found.map(({ name }) => name).join(", ")}. Call them now.`,
      ...(missing.length > 0 ? [`Not found: ${clip(missing.join(", "), 500)}.`] : []),
      ...catalog.connecting().map((name) => `${name} is still connecting.`),
    ].join(" ");
    const loads = found.map(defineTool);
    return { content: [{ type: "text", text }], ...(loads.length > 0 ? { loads } : {}) };
  },
});

type FoundTools = ReturnType<typeof search>;

/** `missing`: names that were chosen and that no tool has. */
function search(tools: readonly Tool<unknown>[], query: string) {
  const chosen = /^\s*select:(.*)$/s.exec(query)?.[1];
  if (chosen === undefined) return { found: byWords(tools, query), missing: [] };
  const names = chosen.split(",").map((name) => name.trim());
  const known = new Set(tools.map(({ name }) => name));
  return {
    found: tools.filter(({ name }) => names.includes(name)),
    missing: names.filter((name) => !known.has(name)),
  };
}

/** Best first, without those that match much worse than the best. */
function byWords(tools: readonly Tool<unknown>[], query: string): readonly Tool<unknown>[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const scored = tools
    .map((tool) => ({ tool, score: rateTool(tool, words) }))
    .toSorted((a, b) => b.score - a.score);
  const least = Math.max(1, (scored[0]?.score ?? 0) / 2);
  return scored
    .filter(({ score }) => score >= least)
    .slice(0, maxFound)
    .map(({ tool }) => tool);
}

/** A word in the name counts more than one in the description. */
function rateTool({ name, description }: Tool<unknown>, words: readonly string[]): number {
  const parts = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const text = description.toLowerCase();
  return words.reduce((score, word) => {
    if (parts.includes(word)) return score + 10;
    if (name.toLowerCase().includes(word)) return score + 5;
    return score + (text.includes(word) ? 1 : 0);
  }, 0);
}
