import type { SubagentDefinition } from "../../protocol/subagent-definition.ts";
import explorePrompt from "../prompts/explore.md" with { type: "text" };

/** Subagents that are always available; a definition of the same name replaces one. */
export const builtInSubagents: readonly SubagentDefinition[] = [
  {
    name: "general-purpose",
    description: "All tools.",
    prompt: "",
    tools: null,
    model: null,
    readsOnly: false,
  },
  {
    name: "Explore",
    description: "Finds and reads; changes nothing.",
    prompt: explorePrompt.trim(),
    tools: ["Read", "Glob", "Grep", "Bash"],
    model: null,
    readsOnly: true,
  },
];
