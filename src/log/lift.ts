/** Converts entries of format 1, in which tools and their inputs had other names, to format 2. */

import type { AssistantBlock, ToolInput, ToolUseBlock } from "../protocol/block.ts";
import type { Fact } from "../protocol/entry.ts";

type Lift = { name: string; input(input: ToolInput): ToolInput };

const renamed = (keys: Readonly<Record<string, string>>): Lift["input"] => {
  const names = new Map(Object.entries(keys));
  return (input) =>
    Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, value]));
};

const searchKeys = renamed({
  ignore_case: "-i",
  context: "-C",
  limit: "head_limit",
  output: "output_mode",
});
const outputModes: ReadonlyMap<unknown, string> = new Map([
  ["files", "files_with_matches"],
  ["count", "count"],
]);

const lifts = new Map<string, Lift>(
  Object.entries({
    bash: {
      name: "Bash",
      input: renamed({ timeout_ms: "timeout", background: "run_in_background" }),
    },
    read_file: { name: "Read", input: renamed({ path: "file_path" }) },
    write_file: { name: "Write", input: renamed({ path: "file_path" }) },
    edit_file: {
      name: "Edit",
      input: renamed({ path: "file_path", old_text: "old_string", new_text: "new_string" }),
    },
    glob: { name: "Glob", input: renamed({}) },
    grep: {
      name: "Grep",
      input: (input) => ({
        ...searchKeys(input),
        output_mode: outputModes.get(input["output"]) ?? "content",
      }),
    },
    todo: {
      name: "TodoWrite",
      input: ({ items, ...rest }) => ({ ...rest, todos: todosOf(items) }),
    },
    task: { name: "BashOutput", input: ({ id, action: _, ...rest }) => ({ ...rest, bash_id: id }) },
    recall: { name: "Recall", input: renamed({}) },
    compact: { name: "Compact", input: renamed({}) },
  }),
);

const stopTask: Lift = {
  name: "KillShell",
  input: ({ id, action: _, ...rest }) => ({ ...rest, shell_id: id }),
};

/** Format 2 has no cancelled items: they leave the list. */
function todosOf(items: unknown): unknown {
  if (!Array.isArray(items)) return items;
  return items.flatMap((item: unknown) => {
    if (typeof item !== "object" || item === null) return [item];
    const { text, status, ...rest } = { text: undefined, status: undefined, ...item };
    if (status === "cancelled") return [];
    return [{ ...rest, content: text, status: status === "done" ? "completed" : status }];
  });
}

/**
 * The same fact with current names. No current tool has one of the old names, so the version need
 * not be known; a fact without old names is returned itself.
 */
export function liftFact<F extends Fact>(fact: F): F {
  if (fact.type === "result") {
    const lift = lifts.get(fact.tool);
    return lift ? { ...fact, tool: lift.name } : fact;
  }
  if (fact.type !== "assistant" || !fact.content.some(isOldCall)) return fact;
  return { ...fact, content: fact.content.map(liftBlock) };
}

const isOldCall = (block: AssistantBlock): block is ToolUseBlock =>
  block.type === "tool_use" && lifts.get(block.name) !== undefined;

/** The same block with current names. */
function liftBlock(block: AssistantBlock): AssistantBlock {
  if (block.type !== "tool_use") return block;
  const { name, input } = block;
  const lift = name === "task" && input["action"] === "stop" ? stopTask : lifts.get(name);
  return lift ? { ...block, name: lift.name, input: lift.input(input) } : block;
}
