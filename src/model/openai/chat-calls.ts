/** Tool calls of a chat completion, as their pieces arrive. */

import { parseJson } from "../../base/guards.ts";
import type { ToolInput, ToolUseBlock } from "../../protocol/block.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { parseInput } from "../anthropic/answer.ts";
import type { CallPart } from "./chat-chunk.ts";
import { cleanName } from "./text-calls.ts";

export type GrowingCall = {
  type: "call";
  index: number;
  slot: number;
  id: string;
  /** The id that the server used: ours may have to differ. */
  given: string | null;
  name: string;
  json: string;
  extra: NonNullable<ToolUseBlock["extra"]>;
};

export function keepExtra(call: GrowingCall, part: CallPart): void {
  const { index: _index, id: _id, type: _type, function: named, ...beside } = part;
  const { name: _name, arguments: _json, ...inside } = named ?? {};
  if (Object.keys(beside).length > 0) call.extra.call = { ...call.extra.call, ...beside };
  if (Object.keys(inside).length > 0) call.extra.function = { ...call.extra.function, ...inside };
}

/** Pieces of one detail come one after another, each with a part of its text. */
export function joinDetails(
  known: readonly Record<string, unknown>[],
  pieces: readonly Record<string, unknown>[],
): Record<string, unknown>[] {
  const joined = [...known];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const isSame =
      last !== undefined && last["type"] === piece["type"] && last["index"] === piece["index"];
    if (!isSame || piece["type"] === "reasoning.encrypted") {
      joined.push(piece);
      continue;
    }
    const texts = ["text", "summary"].flatMap((key) =>
      typeof last[key] === "string" && typeof piece[key] === "string"
        ? [[key, last[key] + piece[key]]]
        : [],
    );
    const given = Object.entries(piece).filter(([, value]) => value != null);
    joined[joined.length - 1] = {
      ...last,
      ...Object.fromEntries(given),
      ...Object.fromEntries(texts),
    };
  }
  return joined;
}

export function toToolUse(growing: GrowingCall, tools: readonly ToolDefinition[]): ToolUseBlock {
  return {
    type: "tool_use",
    id: growing.id,
    name: cleanName(growing.name, tools),
    input: parseArguments(growing.json),
    ...(Object.keys(growing.extra).length > 0 && { extra: growing.extra }),
  };
}

/** Some servers write the JSON as JSON once more, or as a block of Markdown. */
function parseArguments(json: string): ToolInput {
  if (json.trim() === "") return {};
  const inner = json.startsWith('"') ? parseJson(json) : null;
  const text = typeof inner === "string" ? inner : json;
  return parseInput(fenced.exec(text)?.[1] ?? text);
}

const fenced = /^\s*```(?:json)?\s*(\{[^]*\})\s*```\s*$/;

/** A name that comes in pieces, or again with every piece of the arguments. */
export function joinName({ name, json }: GrowingCall, part: string): string {
  if (json !== "" || name === part) return name || part;
  return part.startsWith(name) ? part : name + part;
}

export const isWhole = (json: string): boolean =>
  json.trimEnd().endsWith("}") && parseJson(json) !== undefined;
