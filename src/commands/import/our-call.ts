/** Calls of other agents, under our names. */

import type { ToolInput, ToolUseBlock } from "../../protocol/block.ts";
import { isRecord } from "../../base/guards.ts";
import { isWords, joinCommand, ourKey, ourTool } from "../../tools/foreign-names.ts";

/** The keys of our inputs that imported calls are given. */
const inputKeys: Readonly<Record<string, string>> = {
  Bash: "command timeout",
  BashInput: "shell_id input",
  Edit: "file_path old_string new_string replace_all",
  Grep: "pattern path glob",
  Glob: "pattern path",
  Read: "file_path offset limit",
  TodoWrite: "todos",
  Write: "file_path content",
};

type Call = Pick<ToolUseBlock, "name" | "input">;

/** A call of another agent under our names; unchanged if we have no such tool. */
export function ourCall({ name, input }: Call): Call {
  const ours = ourTool(name);
  if (ours === undefined) return { name, input };
  return { name: ours, input: withOurValues(renamed(input, inputKeys[ours])) };
}

/** The input with its keys mapped to ours; `ours`: the candidate keys. */
function renamed(input: ToolInput, ours = ""): ToolInput {
  const keys = Object.fromEntries(ours.split(" ").map((key) => [key, true]));
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [ourKey(key, keys, input) ?? key, value]),
  );
}

function withOurValues(input: ToolInput): ToolInput {
  const { command, todos } = input;
  if (isWords(command)) return { ...input, command: joinCommand(command) };
  if (!Array.isArray(todos)) return input;
  const ours = (todo: unknown) => (isRecord(todo) ? renamed(todo, "content status") : todo);
  return { ...input, todos: todos.map(ours) };
}
