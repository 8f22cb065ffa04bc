/** A tool's schema as the API's definition, and the input of a call as the tool's own type. */

import { z } from "zod";
import { unreadableInputKey, type ToolInput } from "../protocol/block.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import { takeStart } from "../base/clip.ts";
import { parseJson } from "../base/guards.ts";
import { ToolError, type Tool } from "./tool.ts";

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
    },
  });
  const { name, description } = tool;
  const ordered = Object.entries(schema).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { name, description, input_schema: { ...Object.fromEntries(ordered), type: "object" } };
}

/** Throws `ToolError` that names each wrong field and what was expected there. */
export function parseInput(tool: Tool<unknown>, input: ToolInput): unknown {
  const broken = input[unreadableInputKey];
  if (broken !== undefined) {
    throw new ToolError(
      `The input of ${tool.name} was not valid JSON; send the call again: ${takeStart(String(broken), 200)}`,
    );
  }
  const strict = tool.schema.safeParse(input);
  if (strict.success) return strict.data;
  const lenient = tool.schema.safeParse(lenientInput(tool, input));
  if (lenient.success) return lenient.data;
  const faults = lenient.error.issues.map((issue) => {
    const where = issue.path.length === 0 ? "input" : z.core.toDotPath(issue.path);
    return `${where}: ${issue.message}`;
  });
  throw new ToolError(`Invalid input for ${tool.name}. ${faults.join("; ")}.`);
}

const properties = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })).default({}),
  required: z.array(z.string()).default([]),
});

/**
 * Mistakes that models often make and that have only one meaning: the input with known aliases renamed, numbers, booleans and lists unquoted, and null dropped where
 * a value is optional. Other mistakes are left in.
 */
export function lenientInput(tool: Tool<unknown>, input: ToolInput): ToolInput {
  const schema = properties.parse(z.toJSONSchema(tool.schema, { io: "input" }));
  const entries = Object.entries(input).flatMap(([key, value]): [string, unknown][] => {
    const meant = tool.aliases?.[key];
    const name = meant === undefined || Object.hasOwn(input, meant) ? key : meant;
    if (value === null && !schema.required.includes(name)) return [];
    return [[name, unquoted(value, schema.properties[name]?.type)]];
  });
  return Object.fromEntries(entries);
}

function unquoted(value: unknown, type: string | undefined): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if ((type === "integer" || type === "number") && /^-?\d+$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if (type !== "array" || !text.startsWith("[")) return value;
  return parseJson(text) ?? value;
}
