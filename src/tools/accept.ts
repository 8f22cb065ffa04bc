/**
 * The input of a call as the tool understands it. Models are trained with the tools of many agents:
 * whatever has only one meaning here is accepted, and the rest is answered with what the tool takes.
 */

import { z } from "zod";
import { takeStart } from "../base/clip.ts";
import { isRecord, parseJson } from "../base/guards.ts";
import { unreadableInputKey, type ToolInput } from "../protocol/block.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import { ToolError, type Tool } from "./tool.ts";

/** Keys of other agents for our own, for every tool that has such an input. */
const meanings: Readonly<Record<string, string>> = {
  file_path:
    "path filePath filepath file_name filename file absolute_path absolutePath target_file notebook_path",
  path: "file_path filePath directory dir dir_path folder target_directory absolute_path",
  content: "contents file_text text",
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

const meaningOf = new Map<string, string[]>();
for (const [ours, names] of Object.entries(meanings))
  for (const name of names.split(" ")) meaningOf.set(name, [...(meaningOf.get(name) ?? []), ours]);

/** Throws `ToolError` with what is wrong and what the tool takes. */
export function parseInput(tool: Tool<unknown>, input: ToolInput): unknown {
  const broken = input[unreadableInputKey];
  if (broken !== undefined) {
    throw new ToolError(
      `The input of ${tool.name} was not valid JSON; send the call again: ${takeStart(String(broken), 200)}`,
    );
  }
  const parsed = tool.schema.safeParse(acceptedInput(tool, input));
  if (parsed.success) return parsed.data;
  throw new ToolError(faultsOf(tool, parsed.error));
}

/** The input under our keys and with our values. What has no meaning here stays, or is left out. */
export function acceptedInput(tool: Tool<unknown>, input: ToolInput): ToolInput {
  const adapted = tool.adapt?.(input) ?? input;
  if (tool.isExact || tool.schema.safeParse(adapted).success) return adapted;
  const { properties, required, additionalProperties } = schemaOf(tool);
  const accepted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(adapted)) {
    const name = ourKey(key, properties, adapted);
    if (name === null && additionalProperties === false) continue;
    if (value === null && !required.includes(name ?? key)) continue;
    accepted[name ?? key] = name === null ? value : fitted(value, properties[name]);
  }
  return tool.adapt?.(accepted) ?? accepted;
}

/** Null for a key that means nothing here. A key under its own name outranks what could mean it. */
function ourKey(key: string, properties: Properties, input: ToolInput): string | null {
  if (Object.hasOwn(properties, key)) return key;
  const means = meaningOf.get(key) ?? [];
  const own = means.find((name) => Object.hasOwn(properties, name) && !Object.hasOwn(input, name));
  return own ?? null;
}

const property = z.looseObject({
  type: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

type Properties = Record<string, z.infer<typeof property>>;

const objectSchema = z.looseObject({
  properties: z.record(z.string(), property).default({}),
  required: z.array(z.string()).default([]),
  additionalProperties: z.unknown().optional(),
});

const schemas = new WeakMap<Tool<unknown>, z.infer<typeof objectSchema>>();

function schemaOf(tool: Tool<unknown>): z.infer<typeof objectSchema> {
  const known = schemas.get(tool);
  if (known) return known;
  const schema = objectSchema.parse(z.toJSONSchema(tool.schema, { io: "input" }));
  schemas.set(tool, schema);
  return schema;
}

/** Unquotes numbers, booleans and lists, and quotes numbers; one beyond a limit becomes the limit. */
function fitted(value: unknown, wanted: z.infer<typeof property> = {}): unknown {
  const plain = typeof value === "string" ? unquoted(value, wanted.type) : value;
  if (typeof plain !== "number") return plain;
  if (wanted.type === "string") return String(plain);
  const whole = wanted.type === "integer" ? Math.round(plain) : plain;
  return Math.min(Math.max(whole, wanted.minimum ?? -Infinity), wanted.maximum ?? Infinity);
}

function unquoted(value: string, type: string | undefined): unknown {
  const text = value.trim();
  if ((type === "integer" || type === "number") && /^-?\d+(?:\.\d+)?$/.test(text))
    return Number(text);
  if (type === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if (type !== "array" || !text.startsWith("[")) return value;
  return parseJson(text) ?? value;
}

function faultsOf(tool: Tool<unknown>, error: z.ZodError): string {
  const { properties, required } = schemaOf(tool);
  const missing = error.issues.flatMap(({ code, path: [key, ...deeper], message }) =>
    code === "invalid_type" &&
    typeof key === "string" &&
    deeper.length === 0 &&
    required.includes(key) &&
    message.endsWith("received undefined")
      ? [key]
      : [],
  );
  const others = error.issues
    .filter(({ path }) => !missing.includes(String(path[0])))
    .map(
      ({ path, message }) => `${path.length === 0 ? "input" : z.core.toDotPath(path)}: ${message}`,
    );
  const needs = missing.map((key) => `\`${key}\``).join(" and ");
  return [
    missing.length > 0 ? `${tool.name} needs ${needs}.` : `Invalid input for ${tool.name}.`,
    ...(others.length > 0 ? [`${others.join("; ")}.`] : []),
    `Parameters: ${Object.keys(properties).join(", ")}.`,
  ].join(" ");
}

/** Tools of other agents, by their name without case and separators, and what serves here instead. */
const equivalents: Readonly<Record<string, string>> = {
  applypatch: "use Edit for each changed file, and Write for new ones",
  askuser: "use AskUserQuestion",
  requestuserinput: "use AskUserQuestion",
  bash: "use Bash",
  cat: "use Read",
  create: "use Write",
  createfile: "use Write",
  edit: "use Edit",
  editfile: "use Edit",
  exec: "use Bash",
  execcommand: "use Bash",
  executecommand: "use Bash",
  fetch: "use WebFetch",
  find: "use Glob",
  findfile: "use Glob",
  glob: "use Glob",
  grep: "use Grep",
  grepsearch: "use Grep",
  insert: "use Edit",
  killbash: "use KillShell",
  killtask: "use KillShell",
  list: "use Glob, or Bash with ls",
  listdir: "use Glob, or Bash with ls",
  listdirectory: "use Glob, or Bash with ls",
  listfiles: "use Glob, or Bash with ls",
  ls: "use Glob, or Bash with ls",
  monitor: "use Bash with run_in_background: you are told when it ends",
  multiedit: "use Edit with edits",
  notebookedit: "use Edit on the notebook's file",
  notebookread: "use Read",
  open: "use Read",
  powershell: "use Bash",
  presentplan: "use ExitPlanMode",
  read: "use Read",
  readfile: "use Read",
  readmanyfiles: "use Read, once per file",
  replace: "use Edit",
  runshellcommand: "use Bash",
  runterminalcmd: "use Bash",
  search: "use Grep",
  searchfilecontent: "use Grep",
  shell: "use Bash",
  spawnagent: "use Agent",
  strreplace: "use Edit",
  strreplaceeditor: "use Read, Edit and Write",
  task: "use Agent",
  taskcreate: "use TodoWrite, with the whole list",
  tasklist: "your list is in your last TodoWrite",
  taskoutput: "use BashOutput",
  taskstop: "use KillShell",
  taskupdate: "use TodoWrite, with the whole list",
  todoread: "your list is in your last TodoWrite",
  updateplan: "use TodoWrite",
  view: "use Read",
  wait: "use BashOutput with wait",
  webfetch: "use WebFetch",
  websearch: "use WebSearch",
  write: "use Write",
  writefile: "use Write",
  writestdin: "use BashInput",
  writetodos: "use TodoWrite",
};

/** A sentence for a call of a tool that does not exist; `known`: those that do. */
export function noSuchTool(name: string, known: readonly string[]): string {
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  const own = known.find((one) => one.toLowerCase() === plain);
  const advice = own === undefined ? equivalents[plain] : `use ${own}`;
  const named = advice?.match(/\b[A-Z]\w+\b/g) ?? [];
  const isThere = advice !== undefined && named.every((one) => known.includes(one));
  return isThere
    ? `There is no tool ${name}; ${advice}.`
    : `There is no tool ${name}. Available: ${known.join(", ")}.`;
}

/** A list of objects with other keys, such as the edits of a file. */
export const renamedItems = (
  list: unknown,
  names: Readonly<Record<string, string>>,
  kept: readonly string[],
): unknown =>
  Array.isArray(list)
    ? list.map((item: unknown) => {
        if (!isRecord(item)) return item;
        const entries = Object.entries(item).map(([key, value]) => [names[key] ?? key, value]);
        return Object.fromEntries(entries.filter(([key]) => kept.includes(String(key))));
      })
    : list;

const limits =
  "minLength maxLength maxItems minimum exclusiveMinimum maximum additionalProperties".split(" ");

/** The same bytes for the same tool, always: the definition is the start of the cached prefix. */
export function defineTool(tool: Tool<unknown>): ToolDefinition {
  if (tool.definition) return tool.definition;
  const { $schema: _, ...schema } = z.toJSONSchema(tool.schema, {
    io: "input",
    // Limits cost tokens in every request; a call that exceeds one gets an error that names it.
    override: ({ jsonSchema }) => {
      for (const limit of limits) delete jsonSchema[limit];
      for (const [name, property] of Object.entries(jsonSchema.properties ?? {}))
        if (typeof property === "object" && property.deprecated)
          delete jsonSchema.properties?.[name];
    },
  });
  const { name, description } = tool;
  const ordered = Object.entries(schema).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { name, description, input_schema: { ...Object.fromEntries(ordered), type: "object" } };
}
