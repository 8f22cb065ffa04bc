/**
 * Tool calls that arrive as text, because the server has no parser for the model's own form. They count
 * only at the end of an answer, for tools that exist, and never inside code that is quoted.
 */

import { isRecord, parseJson } from "../../base/guards.ts";
import type { ToolInput } from "../../protocol/block.ts";
import type { ToolDefinition } from "../../protocol/model.ts";

type TextCall = { name: string; input: ToolInput };

/** `calls` empty: `text` ends with something like a call that cannot be read. */
type Found = { before: string; calls: TextCall[] };

/** Calls at the end of a text, and the text before them; null if there are none. */
export function findTextCalls(text: string, tools: readonly ToolDefinition[]): Found | null {
  for (const { index } of text.matchAll(start)) {
    if (isQuoted(text, index)) continue;
    const calls = readCalls(text.slice(index), tools);
    return { before: text.slice(0, index).trimEnd(), calls: calls ?? [] };
  }
  return null;
}

/** DeepSeek writes its marks with characters of full width. */
const bar = "[|\uff5c]";
const sep = "[_\u2581]";

const start = new RegExp(
  [
    "<tool_call>",
    "<function=\\w",
    `<${bar}(?:tool${sep}calls?(?:${sep}[a-z]+)*${bar}>|DSML${bar}(?:function|tool)_calls|channel${bar}>commentary to=|python_tag${bar}>)`,
    `<${bar}start${bar}>assistant<${bar}channel${bar}>commentary to=`,
    "<(?:antml:)?function_calls>",
    "\\[TOOL_CALLS\\]",
  ].join("|"),
  "g",
);

/** In a fence, or between backticks, or a mark in the middle of a line of prose. */
function isQuoted(text: string, at: number): boolean {
  const before = text.slice(0, at);
  const fences = before.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0;
  if (fences % 2 === 1) return true;
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return /["'`\u2018\u201c(]\s*$/.test(line) || (line.match(/`/g)?.length ?? 0) % 2 === 1;
}

/** Marks around and between calls. */
const filler = new RegExp(
  `^(?:\\s|<${bar}tool${sep}calls(?:_section)?${sep}(?:begin|end)${bar}>|</?(?:${bar}DSML${bar})?(?:antml:)?(?:function|tool)_calls>|<${bar}(?:call|end|im_end|eot_id|eom_id|end${sep}of${sep}sentence|start)${bar}>|</s>|assistant(?=<${bar}))+`,
  "u",
);

type Form = {
  pattern: RegExp;
  read(groups: Record<string, string | undefined>): TextCall[] | null;
};

const json = "(?<json>\\{[^]*?\\})";

/** Patterns for the start of the remaining text. */
const forms: readonly Form[] = [
  // Hermes, Qwen
  {
    pattern: new RegExp(`^<tool_call>\\s*${json}\\s*(?:</tool_call>|$)`),
    read: ({ json: body }) => named(parseJson(body ?? "")),
  },
  // Qwen Coder
  {
    pattern:
      /^(?:<tool_call>\s*)?<function=(?<name>[^>\s]+)>(?<body>[^]*?)<\/function>\s*(?:<\/tool_call>|$)?/,
    read: ({ name = "", body = "" }) => [
      { name, input: readParts(body, /<parameter=(?<key>[^>]+)>(?<value>[^]*?)<\/parameter>/g) },
    ],
  },
  // GLM
  {
    pattern: /^<tool_call>\s*(?<name>[\w.-]+)\s*(?<body>(?:<arg_key>[^]*?)?)\s*(?:<\/tool_call>|$)/,
    read: ({ name = "", body = "" }) => [
      {
        name,
        input: readParts(
          body,
          /<arg_key>(?<key>[^]*?)<\/arg_key>\s*<arg_value>(?<value>[^]*?)<\/arg_value>/g,
        ),
      },
    ],
  },
  // Harmony, of gpt-oss
  {
    pattern: new RegExp(
      `^(?:<${bar}start${bar}>assistant)?<${bar}channel${bar}>commentary to=(?<name>[\\w.-]+)[^<]*(?:<${bar}constrain${bar}>\\s*json)?\\s*<${bar}message${bar}>\\s*${json}\\s*(?:<${bar}(?:call|end)${bar}>|$)`,
    ),
    read: withJson,
  },
  // DeepSeek: with the kind of call and a block of Markdown, or without
  {
    pattern: new RegExp(
      `^<${bar}tool${sep}call${sep}begin${bar}>\\s*(?:function\\s*<${bar}tool${sep}sep${bar}>\\s*(?<name>[\\w.-]+)\\s*\`\`\`json|(?<other>[\\w.-]+)\\s*<${bar}tool${sep}sep${bar}>)\\s*${json}\\s*(?:\`\`\`)?\\s*(?:<${bar}tool${sep}call${sep}end${bar}>|$)`,
    ),
    read: ({ name, other, json: body }) => withJson({ name: name ?? other, json: body }),
  },
  // Kimi
  {
    pattern: new RegExp(
      `^<\\|tool_call_begin\\|>\\s*(?<name>[\\w.:-]+)\\s*<\\|tool_call_argument_begin\\|>\\s*${json}\\s*(?:<\\|tool_call_end\\|>|$)`,
    ),
    read: withJson,
  },
  // Newer DeepSeek, and Claude's old form
  {
    pattern: new RegExp(
      `^<(?:${bar}DSML${bar}|antml:)?invoke name="(?<name>[^"]+)">(?<body>[^]*?)</(?:${bar}DSML${bar}|antml:)?invoke>`,
    ),
    read: ({ name = "", body = "" }) => [
      {
        name,
        input: readParts(
          body,
          new RegExp(
            `<(?:${bar}DSML${bar}|antml:)?parameter name="(?<key>[^"]+)"[^>]*>(?<value>[^]*?)</(?:${bar}DSML${bar}|antml:)?parameter>`,
            "g",
          ),
        ),
      },
    ],
  },
  // Mistral
  {
    pattern: new RegExp(
      `^\\[TOOL_CALLS\\]\\s*(?<name>[\\w.-]+)\\s*(?:\\[ARGS\\])?\\s*${json}\\s*(?=\\[TOOL_CALLS\\]|</s>|$)`,
    ),
    read: withJson,
  },
  {
    pattern: /^\[TOOL_CALLS\]\s*(?<list>\[[^]*\])\s*(?:<\/s>)?$/,
    read: ({ list = "" }) => named(parseJson(list)),
  },
  // Llama
  {
    pattern: new RegExp(`^<${bar}python_tag${bar}>\\s*${json}\\s*(?=<${bar}e|$)`),
    read: ({ json: body }) => named(parseJson(body ?? "")),
  },
];

function readCalls(text: string, tools: readonly ToolDefinition[]): TextCall[] | null {
  const calls: TextCall[] = [];
  for (let rest = text; ;) {
    rest = rest.replace(filler, "");
    if (rest === "") return calls.length > 0 ? calls : null;
    const read = readOne(rest, tools);
    if (read === null) return null;
    calls.push(...read.calls);
    rest = rest.slice(read.length);
  }
}

function readOne(
  text: string,
  tools: readonly ToolDefinition[],
): { calls: TextCall[]; length: number } | null {
  for (const { pattern, read } of forms) {
    const match = pattern.exec(text);
    if (!match) continue;
    const calls = read({ ...match.groups })?.map((call) => fitted(call, tools));
    if (calls?.every((call) => call !== null)) return { calls, length: match[0].length };
  }
  return null;
}

function withJson({
  name = "",
  json: body = "",
}: Record<string, string | undefined>): TextCall[] | null {
  const input = parseJson(body);
  return isRecord(input) ? [{ name, input: { ...input } }] : null;
}

/** `{"name": …, "arguments": …}`, or a list of them. */
function named(value: unknown): TextCall[] | null {
  if (Array.isArray(value)) {
    const all = value.map(named);
    return all.every((calls) => calls !== null) ? all.flat() : null;
  }
  if (!isRecord(value)) return null;
  const inner = isRecord(value["function"]) ? value["function"] : value;
  const { name } = inner;
  const given = inner["arguments"] ?? inner["parameters"] ?? {};
  const input = typeof given === "string" ? parseJson(given) : given;
  return typeof name === "string" && isRecord(input) ? [{ name, input: { ...input } }] : null;
}

function readParts(body: string, pattern: RegExp): ToolInput {
  const parts = [...body.matchAll(pattern)].map(
    ({ groups: { key = "", value = "" } = {} }) =>
      [key.trim(), value.replace(/^\n|\n$/g, "")] as const,
  );
  return Object.fromEntries(parts);
}

/** Under the tool's name, and with values that are not texts read as what its schema says. */
function fitted({ name, input }: TextCall, tools: readonly ToolDefinition[]): TextCall | null {
  const called = cleanName(name, tools);
  const tool = tools.find((known) => known.name === called);
  if (!tool) return null;
  const { properties } = tool.input_schema;
  const values = Object.entries(input).map(([key, value]) => {
    const wanted = isRecord(properties) ? properties[key] : undefined;
    const isText = !isRecord(wanted) || wanted["type"] === "string" || wanted["type"] === undefined;
    return [key, typeof value === "string" && !isText ? (parseJson(value) ?? value) : value];
  });
  return { name: called, input: Object.fromEntries(values) };
}

/** A tool's name without the marks and prefixes that templates leave in it. */
export function cleanName(name: string, tools: readonly { name: string }[]): string {
  const isTool = (candidate: string): boolean => tools.some((tool) => tool.name === candidate);
  if (isTool(name)) return name;
  const plain = name
    .replace(new RegExp(`^(?:<${bar}[^>]*${bar}>)+`), "")
    .replace(new RegExp(`(?:<${bar}|<\\/|\\[ARGS\\])[^]*$`), "")
    .trim();
  const bare = plain.replace(/^(?:functions?|tools?)[.:]/, "").replace(/:\d+$/, "");
  return isTool(bare) ? bare : plain || name || "unnamed";
}
