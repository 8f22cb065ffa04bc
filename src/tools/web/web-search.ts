import { z } from "zod";
import { counted, errorMessage } from "../../base/format.ts";
import type { Spent } from "../../protocol/entry.ts";
import { textOutput, ToolError, type Tool } from "../tool.ts";
import description from "./web-search.md" with { type: "text" };

/** An empty list is none. */
const domains = z
  .array(z.string().regex(/^[\w*.-]+(?:\/\S*)?$/))
  .max(100)
  .transform((list) => (list.length > 0 ? list : undefined))
  .optional();

const schema = z.strictObject({
  query: z.string().min(2).max(1_000),
  allowed_domains: domains.describe("Only results of these sites."),
  blocked_domains: domains.describe("No results of these sites."),
});

type SearchInput = z.infer<typeof schema>;

/** The outcome of a search. */
type SearchResult = {
  results: readonly { url: string; title: string; age: string | null }[];
  /** The searching model's own words. */
  text: string;
  /** Why a search failed; null: none did. */
  error: string | null;
  spent: Spent;
};

export type WebSearcher = (search: SearchInput, signal: AbortSignal) => Promise<SearchResult>;

/** Searches the web on the server of the model. */
export const webSearchTool = (search: WebSearcher): Tool<SearchInput> => ({
  name: "WebSearch",
  description,
  schema,
  readOnly: true,
  intent: async ({ query, allowed_domains: only, blocked_domains: without }) => ({
    access: { kind: "external" },
    title: "Search the web",
    detail: [
      query,
      ...(only ? [`only ${only.join(", ")}`] : []),
      ...(without ? [`without ${without.join(", ")}`] : []),
    ].join("\n"),
  }),
  async run(input, { signal }) {
    if (input.allowed_domains && input.blocked_domains)
      throw new ToolError("Give allowed_domains or blocked_domains, not both.");
    const { results, text, error, spent } = await search(input, signal).catch((error: unknown) => {
      throw new ToolError(errorMessage(error));
    });
    const isFailed = results.length === 0 && text === "";
    const lines = [
      ...(error === null ? [] : [`A search failed: ${error}.`]),
      ...(isFailed && error === null ? ["Nothing was found."] : []),
      ...(results.length === 0 ? [] : [`${counted(results.length, "result")}:`]),
      ...results.map(
        ({ url, title, age }) => `- ${title} ${url}${age === null ? "" : ` (${age})`}`,
      ),
      ...(text === "" ? [] : ["", text]),
    ];
    return {
      ...textOutput(lines.join("\n")),
      ...(isFailed && error !== null ? { isError: true as const } : {}),
      spent,
    };
  },
});
