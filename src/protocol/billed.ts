/** The cost of an entry: of its own call, and of calls made elsewhere for it. */

import type { Fact, Spent } from "./entry.ts";
import type { Usage } from "./model.ts";

/** Usage of the calls behind an entry; undefined for entries without a call. */
export function billedFor(entry: Fact): Usage | undefined {
  switch (entry.type) {
    case "assistant":
    case "attempt":
    case "refresh":
      return entry.usage;
    case "cut":
      return entry.summary?.usage;
    default:
      return undefined;
  }
}

/** The cost of an entry elsewhere: in a subagent, or in calls that a tool, a hook or a summary made. */
export function spentElsewhere(entry: Fact): Spent | undefined {
  switch (entry.type) {
    case "result":
    case "step":
      return entry.subagent ?? entry.spent;
    case "note":
    case "attempt":
    case "cut":
      return entry.spent;
    case "context":
      return entry.subagent;
    default:
      return undefined;
  }
}
