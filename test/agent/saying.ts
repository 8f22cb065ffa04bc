import type { ToolUseBlock } from "../../src/protocol/block.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { answer, makePath } from "../facts.ts";

/** Of each answer. */
export const usage = { input: 100, cacheRead: 10, cacheWrite: 5, output: 20 };

/** The events of an agent whose answers have these texts and calls. */
export function saying(text: string, ...calls: ToolUseBlock[]): AgentEvent {
  const [entry] = makePath(answer(usage, [{ type: "text", text }, ...calls]));
  if (!entry) throw new Error("An answer is an entry.");
  return { type: "entry", entry };
}
