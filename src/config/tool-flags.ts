/** The flags that choose the tools, and the calls that need no approval. */

import type { FlagValues } from "./flag-options.ts";

export type ToolFlags = ReturnType<typeof toolFlags>;

export function toolFlags(values: FlagValues) {
  const only = values.tools?.flatMap(rulesIn);
  return {
    /** Rules such as `Bash(git diff:*)`. */
    allow: (values.allowedTools ?? []).flatMap(rulesIn),
    deny: (values.disallowedTools ?? []).flatMap(rulesIn),
    /** The only tools that are offered; undefined: all. */
    only: only?.includes("default") ? undefined : only,
  };
}

/** Splits at commas and spaces outside of parentheses. */
function rulesIn(text: string): string[] {
  return text.match(/[^\s,(]+(?:\((?:[^()]|\([^()]*\))*\))?/g) ?? [];
}
