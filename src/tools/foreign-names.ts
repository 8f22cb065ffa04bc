/** The tools of other agents, in our terms: one table for what models call and what is imported. */

import { isRecord } from "../base/guards.ts";
import { shellQuote } from "../base/shell-quote.ts";
import type { ToolInput, ToolUseBlock } from "../protocol/block.ts";

/** Keys of other agents for our own, for every tool that has such an input. */
const meanings: Readonly<Record<string, string>> = {
  file_path:
    "path filePath filepath file_name filename file absolute_path absolutePath target_file notebook_path",
  path: "file_path filePath directory dir dir_path folder target_directory absolute_path",
  content: "contents file_text text step",
  old_string: "oldText old_text oldString old_str search",
  new_string: "newText new_text newString new_str replace replacement",
  replace_all: "replaceAll",
  command: "cmd script",
  workdir: "cwd working_directory workingDirectory directory dir_path",
  timeout: "timeout_ms timeoutMs timeout_seconds",
  run_in_background: "background is_background",
  pattern: "query regex search search_term glob_pattern",
  glob: "include file_pattern include_pattern",
  "-A": "after_context after",
  "-B": "before_context before",
  "-C": "context context_lines",
  "-i": "ignore_case case_insensitive ignoreCase",
  head_limit: "limit max_results max_count",
  offset: "line_number start_line startLine",
  limit: "line_count num_lines",
  bash_id: "shell_id task_id session_id cell_id id",
  shell_id: "bash_id task_id session_id cell_id id",
  input: "chars text",
  prompt: "message task instructions",
  description: "task_name",
  subagent_type: "agent_type type",
  skill: "name command",
  args: "arguments",
  url: "uri",
  query: "q search_term",
  todos: "plan items",
};

const ourNames = new Map<string, string[]>();
for (const [ours, names] of Object.entries(meanings))
  for (const name of names.split(" ")) ourNames.set(name, [...(ourNames.get(name) ?? []), ours]);

type Keys = Readonly<Record<string, unknown>>;

/** Null for a key that means nothing here. A key under its own name outranks what could mean it. */
export function ourKey(key: string, ours: Keys, input: ToolInput): string | null {
  if (Object.hasOwn(ours, key)) return key;
  const means = ourNames.get(key) ?? [];
  return means.find((name) => Object.hasOwn(ours, name) && !Object.hasOwn(input, name)) ?? null;
}

/** By our tool, those of other agents that take the same input, without case and separators. */
const counterparts: Readonly<Record<string, string>> = {
  Agent: "spawnagent task",
  AskUserQuestion: "askuser requestuserinput",
  Bash: "bash exec execcommand executecommand localshell powershell runshell runshellcommand runterminalcmd shell shellcommand",
  BashInput: "writestdin",
  BashOutput: "taskoutput",
  Edit: "edit editfile insert multiedit replace strreplace",
  ExitPlanMode: "presentplan",
  Glob: "find findfile glob list listdir listdirectory listfiles ls",
  Grep: "grep grepsearch search searchfilecontent",
  KillShell: "killbash killtask taskstop",
  Read: "cat notebookread open read readfile view",
  TodoWrite: "todowrite updateplan writetodos",
  WebFetch: "fetch webfetch",
  WebSearch: "websearch",
  Write: "create createfile write writefile",
};

const ourTools = new Map<string, string>();
for (const [ours, names] of Object.entries(counterparts))
  for (const name of names.split(" ")) ourTools.set(name, ours);

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

/** Advice where a name alone does not say how the work is done here. */
const advices: Readonly<Record<string, string>> = {
  applypatch: "use Edit for each changed file, and Write for new ones",
  list: "use Glob, or Bash with ls",
  listdir: "use Glob, or Bash with ls",
  listdirectory: "use Glob, or Bash with ls",
  listfiles: "use Glob, or Bash with ls",
  ls: "use Glob, or Bash with ls",
  monitor: "use Bash with run_in_background: you are told when it ends",
  multiedit: "use Edit with edits",
  notebookedit: "use Edit on the notebook's file",
  readmanyfiles: "use Read, once per file",
  strreplaceeditor: "use Read, Edit and Write",
  taskcreate: "use TodoWrite, with the whole list",
  tasklist: "your list is in your last TodoWrite",
  taskupdate: "use TodoWrite, with the whole list",
  todoread: "your list is in your last TodoWrite",
  wait: "use BashOutput with wait",
};

/** A sentence for a call of a tool that does not exist; `known`: those that do. */
export function noSuchTool(name: string, known: readonly string[]): string {
  const plain = plainName(name);
  const own = known.find((tool) => tool.toLowerCase() === plain) ?? ourTools.get(plain);
  const advice = advices[plain] ?? (own === undefined ? undefined : `use ${own}`);
  const named = advice?.match(/\b[A-Z]\w+\b/g) ?? [];
  const isThere = advice !== undefined && named.every((tool) => known.includes(tool));
  return isThere
    ? `There is no tool ${name}; ${advice}.`
    : `There is no tool ${name}. Available: ${known.join(", ")}.`;
}

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
  const ours = ourTools.get(plainName(name));
  if (ours === undefined) return { name, input };
  const keys = Object.fromEntries((inputKeys[ours] ?? "").split(" ").map((key) => [key, true]));
  const entries = Object.entries(input).map(([key, value]): [string, unknown] => [
    ourKey(key, keys, input) ?? key,
    value,
  ]);
  return { name: ours, input: withOurValues(Object.fromEntries(entries)) };
}

function withOurValues(input: ToolInput): ToolInput {
  const { command, todos } = input;
  if (isWords(command)) return { ...input, command: joinCommand(command) };
  if (!Array.isArray(todos)) return input;
  return {
    ...input,
    todos: todos.map((todo: unknown) => {
      if (!isRecord(todo) || todo["step"] === undefined) return todo;
      const { step, ...item } = todo;
      return { ...item, content: step };
    }),
  };
}

export const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === "string");

/** `bash -lc LINE` is the line itself. */
export function joinCommand(words: readonly string[]): string {
  const [shell = "", option = "", line] = words;
  return /(?:^|\/)(?:ba|z)?sh$/.test(shell) && /^-l?c$/.test(option) && line !== undefined
    ? line
    : words.map((word) => (/^[\w./:-]+$/.test(word) ? word : shellQuote(word))).join(" ");
}
