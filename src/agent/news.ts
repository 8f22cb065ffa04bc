import type { Command } from "../protocol/command.ts";
import { type ContextFact, contextFact } from "../protocol/entry.ts";
import type { PermissionMode } from "../protocol/permission.ts";

/** A message to the model about something that happened between calls. */
export function newsOf({ title, text, subagent }: Extract<Command, { type: "news" }>): ContextFact {
  return { ...contextFact("reminder", title, text), ...(subagent ? { subagent } : {}) };
}

/** A message to the model that the user changed the mode. */
export function modeNews(mode: PermissionMode): ContextFact {
  const rule = mode === "plan" ? ": do not write or run anything; explore, and propose a plan" : "";
  return contextFact("mode", mode, `The permission mode is now “${mode}”${rule}.`);
}
