/** The schema of a request. Fields that the API does not name are refused. */

import { z } from "zod";
import { invalid } from "./refusal.ts";

const cacheControl = z
  .strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
  .nullish();

const text = z.strictObject({
  type: z.literal("text"),
  text: z.string(),
  cache_control: cacheControl,
});

const image = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
    data: z.string().min(1),
  }),
  cache_control: cacheControl,
});

const toolReference = z.strictObject({
  type: z.literal("tool_reference"),
  tool_name: z.string().min(1),
});

const id = z.string().regex(/^[a-zA-Z0-9_-]+$/);

const block = z.discriminatedUnion("type", [
  text,
  image,
  z.strictObject({
    type: z.literal("tool_use"),
    id,
    name: z.string().min(1).max(200),
    input: z.record(z.string(), z.unknown()),
    cache_control: cacheControl,
  }),
  z.strictObject({
    type: z.literal("tool_result"),
    tool_use_id: id,
    content: z
      .union([z.string(), z.array(z.discriminatedUnion("type", [text, image, toolReference]))])
      .optional(),
    is_error: z.boolean().optional(),
    cache_control: cacheControl,
  }),
  z.strictObject({
    type: z.literal("server_tool_use"),
    id: z.string().regex(/^srvtoolu_[a-zA-Z0-9_]+$/),
    name: z.literal("web_search"),
    input: z.record(z.string(), z.unknown()),
    cache_control: cacheControl,
  }),
  z.strictObject({
    type: z.literal("web_search_tool_result"),
    tool_use_id: z.string().regex(/^srvtoolu_[a-zA-Z0-9_]+$/),
    content: z.union([
      z.array(
        z.strictObject({
          type: z.literal("web_search_result"),
          url: z.string(),
          title: z.string(),
          encrypted_content: z.string(),
          page_age: z.string().nullish(),
        }),
      ),
      z.strictObject({ type: z.literal("web_search_tool_result_error"), error_code: z.string() }),
    ]),
    cache_control: cacheControl,
  }),
  z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.strictObject({
    type: z.literal("compaction"),
    content: z.string().min(1).nullish(),
    encrypted_content: z.string().nullish(),
    signature: z.string().nullish(),
    cache_control: cacheControl,
  }),
]);

export type ApiBlock = z.infer<typeof block>;

const message = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: z.union([z.string(), z.array(block)]),
});

const tool = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({
    type: z.literal("object"),
    properties: z.record(z.string(), z.unknown()).nullish(),
    required: z.array(z.string()).nullish(),
  }),
  defer_loading: z.boolean().optional(),
  cache_control: cacheControl,
});

const searchTool = z.strictObject({
  type: z.literal("web_search_20250305"),
  name: z.literal("web_search"),
  max_uses: z.number().int().min(1).nullish(),
  allowed_domains: z.array(z.string()).nullish(),
  blocked_domains: z.array(z.string()).nullish(),
  defer_loading: z.literal(false).optional(),
  cache_control: cacheControl,
});

const binding = z
  .strictObject({ prefix_mismatch_behavior: z.enum(["error", "drop_block"]).nullish() })
  .nullish();
const display = z.enum(["summarized", "omitted"]).nullish();

const thinking = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("adaptive"), display, block_binding: binding }),
  z.strictObject({
    type: z.literal("enabled"),
    budget_tokens: z.number().int().min(1_024),
    display,
    block_binding: binding,
  }),
  z.strictObject({ type: z.literal("disabled") }),
  z.strictObject({ type: z.literal("between_tools") }),
]);

const counted = {
  model: z.string().min(1),
  messages: z.array(message),
  system: z.union([z.string(), z.array(text)]).optional(),
  tools: z.array(z.union([tool, searchTool])).optional(),
  thinking: thinking.optional(),
  output_config: z
    .strictObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish() })
    .optional(),
  compaction: z
    .strictObject({ type: z.literal("summarize"), instructions: z.string().nullish() })
    .nullish(),
};

const request = z.strictObject({
  ...counted,
  max_tokens: z.number().int().min(0),
  stream: z.boolean().optional(),
});

const countRequest = z.strictObject(counted).transform((body) => ({ ...body, max_tokens: 1 }));

export type ApiReference = z.infer<typeof toolReference>;
export type ApiTool = z.infer<typeof tool> | z.infer<typeof searchTool>;
export type ApiRequest = z.infer<typeof request>;
export type ApiMessage = ApiRequest["messages"][number];

/** Throws a `Refusal` that names the field. */
export function parseRequest(text: string, counting: boolean): ApiRequest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalid("The request body is not valid JSON.");
  }
  if (!isWellFormed(json)) {
    const at = text.search(/\\ud[89a-f]/i);
    throw invalid(
      `The request body is not valid JSON: no low surrogate in string: line 1 column ${at + 1} (char ${at})`,
    );
  }
  const parsed = (counting ? countRequest : request).safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = deepest(parsed.error.issues[0]);
  throw invalid(issue === undefined ? "invalid request" : describe(issue));
}

/** Whether no string in it contains half a surrogate pair. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

type Issue = z.core.$ZodIssue;

/** The branch of a union that came closest to matching. */
function deepest(issue: Issue | undefined): Issue | undefined {
  if (issue?.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const branches = issue.errors.flatMap((issues) => deepest(issues[0]) ?? []);
  const best = branches.toSorted((a, b) => b.path.length - a.path.length)[0];
  return best && { ...best, path: [...issue.path, ...best.path] };
}

function describe({ path, ...issue }: Issue): string {
  return issue.code === "unrecognized_keys"
    ? `${[...path, issue.keys[0]].join(".")}: Extra inputs are not permitted`
    : `${path.join(".")}: ${issue.message}`;
}

export const toBlocks = ({ content }: ApiMessage): ApiBlock[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;
