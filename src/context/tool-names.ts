/** What the tiers know about tools: the only place in this module that names them. */

import type { ToolInput } from "../protocol/block.ts";

const searches = new Set(["Grep", "Glob"]);

export const isSearch = (tool: string): boolean => searches.has(tool);
export const isShell = (tool: string): boolean => tool === "Bash";

/** Shell commands that print a file, with the path as the last argument of a simple command. */
const prints = /(?:^|[;&|]\s*)(?:cat|nl|head|tail|sed)\b([^;&|<>]*)/g;

/** The files that a shell command prints. */
export function printedFiles(input: ToolInput): string[] {
  const text = input["command"];
  if (typeof text !== "string" || text.length > 2_000) return [];
  return [...text.matchAll(prints)].flatMap(([, rest = ""]) => {
    const words = rest
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/^["']|["']$/g, ""));
    const last = words.at(-1) ?? "";
    return /^[\w~./@-]*\w\.\w+$|\/\w/.test(last) ? [last] : [];
  });
}
