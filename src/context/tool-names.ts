/** What the tiers know about tools: the one place in this room that names them. */

import type { ToolInput } from "../protocol/block.ts";

const searches = new Set(["Grep", "Glob", "grep", "glob", "grep_search", "list_files"]);
const shells = new Set(["Bash", "bash", "run_shell"]);
const todoLists = new Set(["TodoWrite", "todo"]);

export const isSearch = (tool: string): boolean => searches.has(tool);
export const isShell = (tool: string): boolean => shells.has(tool);
export const isTodoList = (tool: string): boolean => todoLists.has(tool);

/** Shell commands that print a file, with the path as the last argument of a simple command. */
const prints = /(?:^|[;&|]\s*)(?:cat|nl|head|tail|sed)\b([^;&|<>]*)/g;

/** The files that a shell command prints. */
export function printedFiles(input: ToolInput): string[] {
  const command = input["command"] ?? input["cmd"];
  const text = Array.isArray(command) ? command.join(" ") : command;
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
