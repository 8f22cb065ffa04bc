/** Names and inputs of other agents' tools, mapped to ours. */

import { shellQuote } from "../base/shell-quote.ts";
import type { ToolInput } from "../protocol/block.ts";

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

/** Null for an unknown key. Our own keys outrank their synonyms. */
export function ourKey(key: string, ours: Keys, input: ToolInput): string | null {
  if (Object.hasOwn(ours, key)) return key;
  const means = ourNames.get(key) ?? [];
  return means.find((name) => Object.hasOwn(ours, name) && !Object.hasOwn(input, name)) ?? null;
}

/** Other agents' tools with the same input, by our tool name; in lower case, without separators. */
const counterparts: Readonly<Record<string, string>> = {
  Agent: "spawnagent task",
  AskUserQuestion: "askuser requestuserinput",
  Bash: "bash exec execcommand executecommand localshell powershell runshell runshellcommand runterminalcmd shell shellcommand",
  BashInput: "writestdin",
  BashOutput: "taskoutput",
  Edit: "edit editfile insert multiedit replace strreplace",
  ExitPlanMode: "presentplan",
  Glob: "find findfile glob list listdir listdirectory listfiles ls",
  Grep: "grep grepsearch search searchfilecontent searchfiles",
  KillShell: "killbash killtask taskstop",
  Read: "cat notebookread open read readfile view",
  Remember: "memory memorywrite savememory updatememory",
  TodoWrite: "todowrite updateplan writetodos",
  WebFetch: "fetch webfetch",
  WebSearch: "websearch",
  Write: "create createfile write writefile",
};

/** Inverts a table: from each name to its meaning. */
const byName = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table).flatMap(([meaning, names]) =>
      names.split(" ").map((name) => [name, meaning] as const),
    ),
  );

const ourTools = byName(counterparts);

/** Our tool for a call of another agent. */
export const ourTool = (name: string): string | undefined => ourTools.get(plainName(name));

/** The tool that a call may mean here, if it takes the input. */
export function standIn(name: string): string | undefined {
  const plain = plainName(name);
  if (plain === "notebookedit") return "Edit";
  // Its commands are not for Bash.
  return plain === "powershell" ? undefined : ourTools.get(plain);
}

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

/** Advice where a name alone does not say how the work is done here. */
const advices = byName({
  "use Edit for each changed file, and Write for new ones": "applypatch",
  "use Glob, or Bash with ls": "list listdir listdirectory listfiles ls",
  "use Bash with run_in_background: you are told when it ends": "monitor",
  "use Edit with edits": "multiedit",
  "use Read, once per file": "readmanyfiles",
  "use Read, Edit and Write": "strreplaceeditor",
  "use TodoWrite, with the whole list": "taskcreate taskupdate",
  "your list is in your last TodoWrite": "tasklist todoread",
  "use BashOutput with wait": "wait",
});

/** The error for a call of an unknown tool; `known`: the tools that exist. */
export function noSuchTool(name: string, known: readonly string[]): string {
  const plain = plainName(name);
  const own = known.find((tool) => tool.toLowerCase() === plain) ?? ourTool(name);
  const advice = advices.get(plain) ?? (own === undefined ? undefined : `use ${own}`);
  const named = advice?.match(/\b[A-Z]\w+\b/g) ?? [];
  const isThere = advice !== undefined && named.every((tool) => known.includes(tool));
  return isThere
    ? `There is no tool ${name}; ${advice}.`
    : `There is no tool ${name}. Available: ${known.join(", ")}.`;
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
