/** Converts a `ModelRequest` to a Messages API request. */

import type {
  BetaThinkingConfigParam,
  MessageCreateParamsStreaming,
} from "@anthropic-ai/sdk/resources/beta/messages/messages";
import { isThinking, type Block } from "../../protocol/block.ts";
import {
  efforts,
  type Effort,
  type Marked,
  type ModelRequest,
  type ToolDefinition,
} from "../../protocol/model.ts";
import { type ThinkingWire, thinkingBudgets } from "../catalog.ts";

export const bindingControlsBeta = "thinking-binding-controls-2026-08-01";
const compactionBeta = "compact-2026-09-04";

type Params = Omit<MessageCreateParamsStreaming, "betas">;

const minThinkingBudgetTokens = 1_024;

/** `loadsTools`: a tool can be defined where a result refers to it. */
export function toParams(request: ModelRequest, wire: ThinkingWire, loadsTools: boolean): Params {
  const thinking = toThinking(request, wire);
  const effort = effortFor(request, wire);
  const tools = toTools(request, loadsTools);
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    messages: toMessages(request, loadsTools),
    ...(request.system.length > 0 && { system: request.system }),
    ...(tools.length > 0 && { tools }),
    ...(thinking !== null && { thinking }),
    ...(effort && { output_config: { effort } }),
    ...(request.compaction !== undefined && {
      compaction: { type: "summarize" as const, ...request.compaction },
    }),
  };
}

/** The requested level, or the highest supported level below it. */
function effortFor({ effort }: ModelRequest, { efforts: known }: ThinkingWire): Effort | undefined {
  if (effort === undefined) return undefined;
  return efforts.slice(0, efforts.indexOf(effort) + 1).findLast((level) => known.includes(level));
}

/** The betas that the request's fields and blocks need. */
export function collectBetas(
  request: ModelRequest,
  params: Params,
  { betas = [] }: Pick<ThinkingWire, "betas">,
): string[] {
  const binds = params.thinking != null && "block_binding" in params.thinking;
  const compacts =
    request.compaction !== undefined ||
    // The server's own summary always comes first.
    request.messages[0]?.content[0]?.type === "compaction";
  return [
    ...(binds ? [bindingControlsBeta] : []),
    ...(compacts ? [compactionBeta] : []),
    ...(params.thinking?.type === "enabled" || params.output_config ? betas : []),
  ];
}

function toThinking(request: ModelRequest, wire: ThinkingWire): BetaThinkingConfigParam | null {
  if (request.thinking === "off") return wire.off === "omit" ? null : { type: wire.off };
  const binding = request.dropStaleThinking
    ? { block_binding: { prefix_mismatch_behavior: "drop_block" as const } }
    : {};
  switch (wire.on) {
    case "adaptive":
      // Current models put what they say between tool calls into thinking blocks, and leave these
      // empty unless asked, so the user would see nothing for minutes.
      return { type: "adaptive", display: "summarized", ...binding };
    case "budget": {
      // With a budget, each answer of the open loop must begin with thinking. If one did not, turn it off
      // for the rest of the loop.
      if (lacksThinking(request.messages)) return wire.off === "omit" ? null : { type: wire.off };
      // Leave half of the limit for the answer.
      const wanted = thinkingBudgets[request.effort ?? "high"];
      const budget_tokens = Math.min(wanted, Math.floor(request.maxTokens / 2));
      if (budget_tokens < minThinkingBudgetTokens) return null;
      return { type: "enabled", budget_tokens, ...binding };
    }
    case "none":
      return null;
  }
}

/** The messages end with results, and an answer of that loop does not begin with thinking. */
function lacksThinking(messages: ModelRequest["messages"]): boolean {
  const isResult = ({ content }: ModelRequest["messages"][number]): boolean =>
    content.some(({ type }) => type === "tool_result");
  const last = messages.at(-1);
  if (!last || !isResult(last)) return false;
  const begun = messages.findLastIndex((message) => message.role === "user" && !isResult(message));
  return messages
    .slice(begun + 1)
    .some(({ role, content: [first] }) => role === "assistant" && !(first && isThinking(first)));
}

/**
 * A deferred definition is not part of the prompt's prefix, so adding one does not change the
 * cache.
 */
const toTools = ({ tools, loadedTools = [] }: ModelRequest, loadsTools: boolean) => [
  ...tools.map(toTool),
  ...loadedTools.map((tool) => ({ ...toTool(tool), ...(loadsTools && { defer_loading: true }) })),
];

function toMessages({ messages, loadedTools = [] }: ModelRequest, loadsTools: boolean) {
  const offered = new Set(loadsTools ? loadedTools.map(({ name }) => name) : []);
  return messages.map((message) => {
    if (!message.content.some(needsTranslation)) return message;
    const content = message.content.map((block) => withReferences(withoutExtra(block), offered));
    return { role: message.role, content };
  });
}

const needsTranslation = (block: Block): boolean =>
  (block.type === "tool_result" && block.loads !== undefined) ||
  (block.type === "tool_use" && block.extra !== undefined);

/** Drops fields of other servers' APIs. */
function withoutExtra(block: Marked<Block>): Marked<Block> {
  if (block.type !== "tool_use" || !block.extra) return block;
  const { extra: _, ...call } = block;
  return call;
}

/** Adds tool references to a tool search result; without API support, its text has to suffice. */
function withReferences(block: Marked<Block>, offered: ReadonlySet<string>) {
  if (block.type !== "tool_result" || block.loads === undefined) return block;
  const { loads, ...result } = block;
  const names = loads.map(({ name }) => name).filter((name) => offered.has(name));
  if (names.length === 0) return result;
  const content = names.map((tool_name) => ({ type: "tool_reference" as const, tool_name }));
  return { ...result, content };
}

/** The SDK's type requires `required` to be a list of strings. */
function toTool(tool: ModelRequest["tools"][number]) {
  const { required, ...schema }: ToolDefinition["input_schema"] = tool.input_schema;
  if (!Array.isArray(required)) return { ...tool, input_schema: schema };
  const names = required.filter((name): name is string => typeof name === "string");
  return { ...tool, input_schema: { ...schema, required: names } };
}
