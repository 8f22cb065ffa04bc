import type { Command } from "../protocol/command.ts";
import type { ContextFact } from "../protocol/entry.ts";

/** What the model is told of something that happened meanwhile. */
export function newsOf({ title, text, subagent }: Extract<Command, { type: "news" }>): ContextFact {
  const content = [{ type: "text" as const, text }];
  return { type: "context", kind: "reminder", title, content, ...(subagent ? { subagent } : {}) };
}
