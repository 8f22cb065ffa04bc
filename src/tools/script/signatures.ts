/** Tools as TypeScript functions, compactly: these words are in every request. */

import { z } from "zod";
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

const schemaSchema = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  get items() {
    return schemaSchema.optional();
  },
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodType<Schema>>> {
    return z.record(z.string(), schemaSchema).optional();
  },
  required: z.array(z.string()).optional(),
});

type Schema = {
  type?: string | undefined;
  enum?: unknown[] | undefined;
  items?: Schema | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
};

export type ScriptFunction = { name: string; tool: string; first: string };

/** `first`: the input that a bare string stands for. */
export function listFunctions(definitions: readonly ToolDefinition[]): ScriptFunction[] {
  return definitions.flatMap((definition) => {
    const name = functionNames.get(definition.name);
    const schema = schemaSchema.safeParse(definition.input_schema).data ?? {};
    const first = schema.required?.[0] ?? Object.keys(schema.properties ?? {})[0] ?? "input";
    return name === undefined ? [] : [{ name, tool: definition.name, first }];
  });
}

/** One line a function, such as `glob(i: { pattern: string; path?: string })`. */
export function describeFunctions(definitions: readonly ToolDefinition[]): string[] {
  return definitions.flatMap((definition) => {
    const name = functionNames.get(definition.name);
    const schema = schemaSchema.safeParse(definition.input_schema).data;
    return name === undefined || !schema ? [] : [`${name}(i: ${typeText(schema)})`];
  });
}

function typeText(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "array":
      return `${schema.items ? typeText(schema.items) : "unknown"}[]`;
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    case "object":
      return objectText(schema);
    default:
      return "unknown";
  }
}

function objectText({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties)
    .filter(([name]) => !leftOut.has(name))
    .map(([name, type]) => {
      const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
      return `${key}${required.includes(name) ? "" : "?"}: ${typeText(type)}`;
    });
  return `{ ${fields.join("; ")} }`;
}
