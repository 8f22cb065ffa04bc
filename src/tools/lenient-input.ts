/** Mistakes that models often make in the input of a call and that have only one meaning. */

import type { ToolInput } from "../protocol/block.ts";
import { parseJson } from "../protocol/guards.ts";
import type { Tool } from "./tool.ts";
import { z } from "zod";

const properties = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })).default({}),
  required: z.array(z.string()).default([]),
});

/**
 * The input with known aliases renamed, numbers, booleans and lists unquoted, and null dropped where
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
