/** Translates tool calls of other agents into calls of our tools. */

import { isRecord } from "../../base/guards.ts";
import { filePathOf, type ToolInput, type ToolUseBlock } from "../../protocol/block.ts";
import type { FileStamp } from "../../protocol/entry.ts";

type Call = Pick<ToolUseBlock, "name" | "input">;

/** Foreign names of a tool, ours, and the foreign keys of our inputs. */
const mappings: { names: RegExp; name: string; keys: Record<string, readonly string[]> }[] = [
  {
    names: /^(read|view|read_file|open)$/i,
    name: "Read",
    keys: { file_path: ["path", "filePath", "absolute_path"] },
  },
  {
    names: /^(edit|multiedit|str_replace|edit_file|replace)$/i,
    name: "Edit",
    keys: {
      file_path: ["path", "filePath"],
      old_string: ["oldText", "old_text", "old_str", "oldString"],
      new_string: ["newText", "new_text", "new_str", "newString"],
      replace_all: ["replaceAll"],
    },
  },
  {
    names: /^(write|create|write_file)$/i,
    name: "Write",
    keys: { file_path: ["path", "filePath"], content: ["file_text"] },
  },
  {
    names:
      /^(bash|powershell|exec|exec_command|shell|shell_command|local_shell|run_shell|run_shell_command)$/i,
    name: "Bash",
    keys: { command: ["cmd"], timeout: ["timeout_ms"] },
  },
  { names: /^write_stdin$/, name: "Bash", keys: { command: ["chars"] } },
  {
    names: /^(grep|search_file_content)/i,
    name: "Grep",
    keys: { pattern: ["query"], glob: ["include"] },
  },
  { names: /^(glob|ls|list_files|list_directory|list|find)$/i, name: "Glob", keys: {} },
  { names: /^(update_plan|todowrite|write_todos)$/, name: "TodoWrite", keys: { todos: ["plan"] } },
];

/** The same call with our names; unchanged if we have no such tool. */
export function ourCall({ name, input }: Call): Call {
  const mapping = mappings.find(({ names }) => names.test(name));
  if (!mapping) return { name, input };
  return { name: mapping.name, input: withOurValues(renamed(input, mapping.keys)) };
}

/** Our name of a foreign tool; its own name if we have no such tool. */
export const ourName = (name: string): string => ourCall({ name, input: {} }).name;

function renamed(input: ToolInput, keys: Record<string, readonly string[]>): ToolInput {
  const entries = Object.entries(input).map(([key, value]): [string, unknown] => {
    const ours = Object.keys(keys).find((one) => keys[one]?.includes(key));
    return [ours === undefined || Object.hasOwn(input, ours) ? key : ours, value];
  });
  return Object.fromEntries(entries);
}

function withOurValues(input: ToolInput): ToolInput {
  const { command, todos } = input;
  if (isWords(command)) return { ...input, command: lineOf(command) };
  if (!Array.isArray(todos)) return input;
  return { ...input, todos: todos.map((todo: unknown) => (isRecord(todo) ? itemOf(todo) : todo)) };
}

/** `bash -lc LINE` is the line itself. */
function lineOf(words: readonly string[]): string {
  const [shell = "", option = "", line] = words;
  return /(^|\/)(ba|z)?sh$/.test(shell) && /^-l?c$/.test(option) && line !== undefined
    ? line
    : words.join(" ");
}

const itemOf = ({ step, ...item }: Record<string, unknown>): Record<string, unknown> =>
  step === undefined ? item : { ...item, content: step };

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === "string");

/**
 * The file that one of our calls shows or writes. Its content was not recorded, so the hash is
 * empty and matches nothing: the file must be read again before it can be edited.
 */
export function stampsOfCall({ name, input }: Call): FileStamp[] {
  const path = filePathOf(input);
  if (path === null) return [];
  if (name === "Edit" || name === "Write") return [{ path, does: "write", hash: "", bytes: 0 }];
  if (name !== "Read") return [];
  const offset = numberOf(input["offset"]);
  const limit = numberOf(input["limit"]);
  if (offset === null && limit === null) return [{ path, does: "read", hash: "", bytes: 0 }];
  const first = offset ?? 1;
  return [{ path, does: "read", hash: "", bytes: 0, lines: [first, first + (limit ?? 2_000) - 1] }];
}

const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
