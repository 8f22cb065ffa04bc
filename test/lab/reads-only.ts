import type { ToolUseBlock } from "../../src/protocol/block.ts";

const readingTools = new Set(["read", "grep", "glob", "ls", "find", "search", "view"]);

const readingCommand =
  /^(?:cd \S+ && )?(?:ls|cat|head|tail|sed -n|grep|rg|find|wc|tree|stat|git (?:log|show|diff|status|ls-files|grep|blame)|nl|jq|awk)\b(?!.*(?:>|-i\b|-delete|-exec|\bxargs\b))/s;

/** Whether a recorded call, of any agent, plainly only reads. */
export function readsOnly({ name, input }: ToolUseBlock): boolean {
  if (readingTools.has(name.toLowerCase())) return true;
  const command = input["command"] ?? input["cmd"];
  const line = Array.isArray(command) ? command.at(-1) : command;
  return typeof line === "string" && readingCommand.test(line.trim());
}
