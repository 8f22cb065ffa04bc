/** Which tools there are and which calls need no approval, by the flags. */

import type { FlagValues } from "./flag-options.ts";

export type ToolFlags = {
  /** Rules such as `Bash(git diff:*)`. */
  allow: string[];
  deny: string[];
  /** The only tools that are offered; absent: all. */
  only?: string[] | undefined;
};

export function toolFlags(values: FlagValues): ToolFlags {
  const only = values.tools?.flatMap(rulesIn);
  return {
    allow: (values.allowedTools ?? []).flatMap(rulesIn),
    deny: (values.disallowedTools ?? []).flatMap(rulesIn),
    only: only?.includes("default") ? undefined : only,
  };
}

/** Splits at commas and spaces outside of parentheses. */
function rulesIn(text: string): string[] {
  return text.match(/[^\s,(]+(?:\((?:[^()]|\([^()]*\))*\))?/g) ?? [];
}
