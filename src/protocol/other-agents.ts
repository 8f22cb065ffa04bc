/** How other agents name the tools that we have too, and the files that their calls touch. */

import type { ToolInput, ToolUseBlock } from "./block.ts";
import type { FileStamp } from "./entry.ts";

const names: [RegExp, string][] = [
  [/^(read|view|read_file|open)$/i, "read_file"],
  [/^(edit|multiedit|str_replace|edit_file|apply_patch)$/i, "edit_file"],
  [/^(write|create|write_file)$/i, "write_file"],
  [/^(bash|powershell|exec|exec_command|shell|local_shell|run_shell|write_stdin)$/i, "bash"],
  [/^grep/i, "grep"],
  [/^(glob|ls|list_files|find)$/i, "glob"],
];

/** Our name of a tool of another agent; its own, where we have no such tool. */
export const ourName = (name: string): string =>
  names.find(([pattern]) => pattern.test(name))?.[1] ?? name;

/**
 * The file that a call shows or writes. Nobody noted what was in it, so the hash is empty, and equals
 * none: who wants to edit the file has to read it again.
 */
export function stampsOfCall({ name, input }: Pick<ToolUseBlock, "name" | "input">): FileStamp[] {
  const path = pathOf(input);
  if (path === null) return [];
  const known = ourName(name);
  if (known === "edit_file" || known === "write_file")
    return [{ path, does: "write", hash: "", bytes: 0 }];
  if (known !== "read_file") return [];
  const offset = numberOf(input["offset"]);
  const limit = numberOf(input["limit"]);
  const lines: [number, number] | null =
    offset === null && limit === null ? null : [offset ?? 1, (offset ?? 1) + (limit ?? 2_000) - 1];
  return [{ path, does: "read", hash: "", bytes: 0, ...(lines ? { lines } : {}) }];
}

/** The file that a call names. */
export function pathOf(input: ToolInput): string | null {
  for (const key of ["file_path", "path", "notebook_path"]) {
    const value = input[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
