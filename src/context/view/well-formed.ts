/** Text without half characters, ids and names within the API's alphabet. The log keeps the originals. */

import type { Block, ResultBlock } from "../../protocol/block.ts";

/** The block itself where nothing has to change, which is nearly always. */
export function wellFormed(block: Block): Block {
  switch (block.type) {
    case "text":
      return wellFormedText(block);
    case "tool_use": {
      const { id, name, input } = block;
      const fixed = { id: callId(id), name: toolName(name), input: deep(input) };
      const isSame = fixed.id === id && fixed.name === name && fixed.input === input;
      return isSame ? block : { ...block, ...fixed };
    }
    case "tool_result": {
      const id = callId(block.tool_use_id);
      const content = mapped(block.content, wellFormedText);
      const isSame = id === block.tool_use_id && content === block.content;
      return isSame ? block : { ...block, tool_use_id: id, content };
    }
    default:
      return block;
  }
}

function wellFormedText<B extends ResultBlock>(block: B): B {
  if (block.type !== "text" || block.text.isWellFormed()) return block;
  return { ...block, text: block.text.toWellFormed() };
}

const outsideAlphabet = /[^a-zA-Z0-9_-]/g;

/** Another server may have given an id that this API refuses. Distinct ids stay distinct. */
function callId(id: string): string {
  const safe = id.replace(outsideAlphabet, "_");
  return safe === id && id !== "" ? id : `${safe}_${hash(id)}`;
}

const maxNameChars = 128;

const toolName = (name: string): string =>
  name.replace(outsideAlphabet, "_").slice(0, maxNameChars) || "unnamed";

/** FNV-1a, 32 bits. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++)
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value.toString(36);
}

function deep<T>(value: T): T;
function deep(value: unknown): unknown {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (Array.isArray(value)) return mapped(value, deep);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const fixed = entries.map(([key, inner]) => [key.toWellFormed(), deep(inner)] as const);
  const isSame = fixed.every(
    ([key, inner], at) => entries[at]?.[0] === key && entries[at][1] === inner,
  );
  return isSame ? value : Object.fromEntries(fixed);
}

/** The list itself where no item changes. */
function mapped<T>(items: T[], change: (item: T) => T): T[] {
  const changed = items.map(change);
  return changed.every((item, at) => item === items[at]) ? items : changed;
}
