/** Limits and combinations: tools, kinds of thinking, marks, betas. */

import { invalid } from "./refusal.ts";
import type { FakeModel } from "./models.ts";
import type { Piece } from "./pieces.ts";
import { toBlocks, type ApiBlock, type ApiRequest } from "./schema.ts";

export const bindingBeta = "thinking-binding-controls-2026-08-01";
export const compactionBeta = "compact-2026-09-04";

export function checkLimits(request: ApiRequest, name: string, model: FakeModel): void {
  if (request.max_tokens === 0 && (request.stream || request.thinking?.type === "enabled"))
    throw invalid("`max_tokens: 0` cannot be combined with streaming or a thinking budget.");
  if (request.max_tokens > model.outputTokens)
    throw invalid(
      `max_tokens: ${request.max_tokens} > ${model.outputTokens}, which is the maximum allowed number of output tokens for ${name}`,
    );
  checkTools(request, model);
  checkThinkingKind(request, model);
}

function checkTools({ tools = [], messages }: ApiRequest, model: FakeModel): void {
  const names = tools.map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalid("tools: Tool names must be unique.");
  const deferred = tools.filter(({ defer_loading }) => defer_loading);
  if (deferred.length > 0 && !model.defersTools)
    throw invalid("tools: defer_loading is not supported for this model.");
  if (deferred.length > 0 && deferred.length === tools.length)
    throw invalid("All tools have defer_loading set. At least one tool must be non-deferred.");
  if (deferred.some(({ cache_control }) => cache_control != null))
    throw invalid("tools: cache_control cannot be set on a tool with defer_loading.");
  for (const tool of tools)
    if ("allowed_domains" in tool && tool.allowed_domains && tool.blocked_domains)
      throw invalid("tools: only one of `allowed_domains` and `blocked_domains` can be specified.");
  for (const block of messages.flatMap(toBlocks)) checkReferences(block, new Set(names));
}

function checkReferences(block: ApiBlock, names: ReadonlySet<string>): void {
  if (block.type !== "tool_result" || typeof block.content !== "object") return;
  const references = block.content.filter((part) => part.type === "tool_reference");
  if (references.length > 0 && references.length < block.content.length)
    throw invalid("tool_result: tool_reference blocks cannot be mixed with other content.");
  const unknown = references.find(({ tool_name }) => !names.has(tool_name));
  if (unknown) throw invalid(`Tool reference '${unknown.tool_name}' not found in available tools`);
}

function checkThinkingKind({ thinking, max_tokens }: ApiRequest, model: FakeModel): void {
  if (thinking === undefined) return;
  if (!model.thinkingTypes.includes(thinking.type))
    throw invalid(`"thinking.type.${thinking.type}" is not supported for this model.`);
  if (thinking.type === "enabled" && thinking.budget_tokens >= max_tokens)
    throw invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
}

export function thinks({ thinking }: ApiRequest, model: FakeModel): boolean {
  if (model.thinking === "none") return false;
  if (thinking === undefined) return model.thinksByDefault;
  return thinking.type === "adaptive" || thinking.type === "enabled";
}

export function checkBetas(
  request: ApiRequest,
  betas: readonly string[],
  model: FakeModel,
  pieces: readonly Piece[],
): void {
  const { thinking, compaction, output_config } = request;
  const effort = output_config?.effort;
  if (effort != null && !model.efforts.includes(effort))
    throw invalid(`output_config.effort: '${effort}' is not supported by this model`);
  if (effort != null && model.effortBeta !== undefined && !betas.includes(model.effortBeta))
    throw invalid("output_config: Extra inputs are not permitted");
  if (thinking && "block_binding" in thinking && thinking.block_binding != null)
    if (!betas.includes(bindingBeta))
      throw invalid(`thinking.${thinking.type}.block_binding: Extra inputs are not permitted`);
  if (compaction != null) {
    if (!betas.includes(compactionBeta))
      throw invalid("compaction: Extra inputs are not permitted");
    if (!model.compacts) throw invalid("compaction: this model does not support compaction");
  }
  const block = pieces.find(({ block }) => block?.type === "compaction");
  if (block !== undefined && !betas.includes(compactionBeta))
    throw invalid(`${block.path}: Input tag 'compaction' does not match any of the expected tags`);
}

const maxMarks = 4;

export function checkMarks(pieces: readonly Piece[]): void {
  const marked = pieces.filter(({ mark }) => mark !== null);
  if (marked.length > maxMarks)
    throw invalid(
      `A maximum of ${maxMarks} blocks with cache_control may be provided. Found ${marked.length}.`,
    );
  const short = marked.findIndex(({ mark }) => mark === "5m");
  if (short !== -1 && marked.slice(short).some(({ mark }) => mark === "1h"))
    throw invalid(
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    );
}
