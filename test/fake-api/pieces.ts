/** A request as a sequence of pieces, in the order in which the model reads them. */

import { type ApiBlock, type ApiRequest, type ApiTool, toBlocks } from "./schema.ts";
import { countTokens, imageTokens } from "./tokens.ts";

export type Piece = {
  part: "tool" | "system" | "user" | "assistant";
  /** The name in error messages. */
  path: string;
  /** The index in `messages`; -1 before them. */
  message: number;
  /** The content without its cache mark; equal for equal content. */
  text: string;
  tokens: number;
  mark: "5m" | "1h" | null;
  block: ApiBlock | null;
};

export function listPieces(request: ApiRequest): Piece[] {
  const deferred = new Map<string, ApiTool>();
  const tools = (request.tools ?? []).flatMap((tool, index) => {
    if (!tool.defer_loading) return [piece("tool", `tools.${index}`, -1, tool, null)];
    deferred.set(tool.name, tool);
    return [];
  });
  const system = typeof request.system === "string" ? text(request.system) : (request.system ?? []);
  return [
    ...tools,
    ...system.map((block, index) => piece("system", `system.${index}`, -1, block, block)),
    ...request.messages.flatMap((message, index) =>
      toBlocks(message).map((block, at) =>
        expanded(
          piece(message.role, `messages.${index}.content.${at}`, index, block, block),
          deferred,
        ),
      ),
    ),
  ];
}

/** A deferred tool is read only where a result refers to it. */
function expanded(one: Piece, deferred: ReadonlyMap<string, ApiTool>): Piece {
  const { block } = one;
  if (block?.type !== "tool_result" || typeof block.content !== "object") return one;
  const tools = block.content.flatMap((part) =>
    part.type === "tool_reference" ? (deferred.get(part.tool_name) ?? []) : [],
  );
  if (tools.length === 0) return one;
  const definitions = stable(tools);
  return { ...one, text: one.text + definitions, tokens: one.tokens + countTokens(definitions) };
}

const text = (text: string) => (text === "" ? [] : [{ type: "text" as const, text }]);

function piece(
  part: Piece["part"],
  path: string,
  message: number,
  content: object,
  block: ApiBlock | null,
): Piece {
  const { cache_control: mark, ...rest } = content as { cache_control?: { ttl?: "5m" | "1h" } };
  return {
    part,
    path,
    message,
    text: stable(rest),
    tokens: countPiece(block, rest),
    mark: mark == null ? null : (mark.ttl ?? "5m"),
    block,
  };
}

/** JSON with sorted keys, so that equal content is equal text. */
export function stable(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The few tokens that a block takes in addition to its content. */
const frameTokens = 3;

function countPiece(block: ApiBlock | null, raw: object): number {
  switch (block?.type) {
    case "text":
      return frameTokens + countTokens(block.text);
    case "image":
      return imageTokens;
    case "tool_use":
      return frameTokens + countTokens(block.name) + countTokens(JSON.stringify(block.input));
    case "tool_result": {
      const { content = "" } = block;
      if (typeof content === "string") return frameTokens + countTokens(content);
      return content.reduce(
        (sum, part) => sum + (part.type === "tool_reference" ? 0 : countPiece(part, part)),
        frameTokens,
      );
    }
    case "thinking":
      // If the text of a block is not shown, the signature is counted instead.
      return frameTokens + countTokens(block.thinking || block.signature);
    case "redacted_thinking":
      return frameTokens + countTokens(block.data);
    case "compaction":
      return frameTokens + countTokens(block.content ?? "");
    default:
      return frameTokens + countTokens(JSON.stringify(raw));
  }
}

export const isThinkingPiece = ({ block }: Piece): boolean =>
  block?.type === "thinking" || block?.type === "redacted_thinking";

export const hash = (text: string, before: bigint): bigint => Bun.hash.wyhash(text, before);

/** The hash of the request up to and including a piece. */
export const chain = (before: bigint, { part, text }: Pick<Piece, "part" | "text">): bigint =>
  hash(text, hash(part, before));
