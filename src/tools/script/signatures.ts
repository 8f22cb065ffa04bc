/** Tools as TypeScript signatures, kept short since they are in every request. */

import { isRecord } from "../../base/guards.ts";
import type { ToolDefinition } from "../../protocol/model.ts";

/** The tools that a script can call, and the functions that stand for them. */
const functionNames = new Map([
  ["Read", "read"],
  ["Grep", "grep"],
  ["Glob", "glob"],
  ["Bash", "bash"],
  ["Edit", "edit"],
  ["Write", "write"],
  ["WebFetch", "fetch"],
  ["WebSearch", "webSearch"],
  ["Recall", "recall"],
  ["ToolSearch", "toolSearch"],
]);

export const isScriptable = (tool: string): boolean =>
  functionNames.has(tool) || tool.startsWith("mcp__");

/** Inputs that make no sense in a script: it waits for each call. */
const leftOut = new Set(["run_in_background", "description", "images", "column"]);

type ScriptFunction = { name: string; tool: string; first: string };

/** `first`: the input that a bare string stands for. */
export const listFunctions = (definitions: readonly ToolDefinition[]): ScriptFunction[] =>
  definitions.flatMap(({ name: tool, input_schema: schema }) => {
    const name = functionNames.get(tool);
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const [first = "input"] = [...required, ...Object.keys(Object(schema["properties"]))];
    return name === undefined ? [] : [{ name, tool, first: String(first) }];
  });

/** One line per function, such as `glob(i: { pattern: string; path?: string })`. */
export const describeFunctions = (definitions: readonly ToolDefinition[]): string[] =>
  definitions.flatMap((definition) => {
    const name = functionNames.get(definition.name);
    return name === undefined ? [] : [`${name}(i: ${typeText(definition.input_schema)})`];
  });

function typeText(schema: unknown): string {
  if (!isRecord(schema)) return "unknown";
  const { type, enum: values, items, properties, required } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "array") return `${typeText(items)}[]`;
  if (type === "integer") return "number";
  if (type !== "object") return typeof type === "string" ? type : "unknown";
  const fields = Object.entries(isRecord(properties) ? properties : {})
    .filter(([name]) => !leftOut.has(name))
    .map(([name, inner]) => {
      const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
      const isRequired = Array.isArray(required) && required.includes(name);
      return `${key}${isRequired ? "" : "?"}: ${typeText(inner)}`;
    });
  return `{ ${fields.join("; ")} }`;
}
