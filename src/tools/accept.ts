/**
 * Parses the input of a call. Models are trained with the tools of many agents: unambiguous inputs of
 * other tools are accepted, and errors list the parameters.
 */

import { z } from "zod";
import { takeStart } from "../base/clip.ts";
import { isRecord, parseJson } from "../base/guards.ts";
import { toolLines, type Tools } from "../base/tool-lines.ts";
import { unreadableInputKey, type ToolInput } from "../protocol/block.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import { ourKey } from "./foreign-names.ts";
import { ToolError, type Tool } from "./tool.ts";

/** Throws `ToolError` with the fault and the parameters. */
export function parseInput(tool: Tool<unknown>, input: ToolInput): unknown {
  const broken = input[unreadableInputKey];
  if (broken !== undefined) {
    throw new ToolError(
      `The input of ${tool.name} was not valid JSON, so nothing was done. Send one JSON object, with line breaks in strings as \\n and quotes as \\": ${takeStart(String(broken), 200)}`,
    );
  }
  const parsed = tool.schema.safeParse(acceptedInput(tool, input));
  if (parsed.success) return parsed.data;
  throw new ToolError(describeFaults(tool, parsed.error));
}

export const takesInput = (tool: Tool<unknown>, input: ToolInput): boolean =>
  tool.schema.safeParse(acceptedInput(tool, input)).success;

/** The input with our keys and values. Unknown keys stay, or are dropped where the schema allows no others. */
export function acceptedInput(tool: Tool<unknown>, input: ToolInput): ToolInput {
  const adapted = tool.adapt?.(input) ?? input;
  if (tool.isExact || tool.schema.safeParse(adapted).success) return adapted;
  const accepted = fittedObject(adapted, readSchema(tool));
  return tool.adapt?.(accepted) ?? accepted;
}

type Schema = z.core.JSONSchema.BaseSchema;

const schemas = new WeakMap<Tool<unknown>, Schema>();

function readSchema(tool: Tool<unknown>): Schema {
  const schema = schemas.get(tool) ?? z.toJSONSchema(tool.schema, { io: "input" });
  schemas.set(tool, schema);
  return schema;
}

function fittedObject(
  given: ToolInput,
  { properties = {}, required = [], additionalProperties }: Schema,
): ToolInput {
  const accepted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const name = ourKey(key, properties, given);
    if (name === null && additionalProperties === false) continue;
    if (value === null && !required.includes(name ?? key)) continue;
    accepted[name ?? key] = name === null ? value : fitted(value, properties[name]);
  }
  return accepted;
}

/** Unquotes numbers, booleans and lists, and quotes numbers; one beyond a limit becomes the limit. */
function fitted(value: unknown, wanted: Schema | boolean = {}): unknown {
  if (typeof wanted === "boolean") return value;
  const plain = typeof value === "string" ? unquoted(value, wanted.type) : value;
  const { items } = wanted;
  if (isSchema(items) && Array.isArray(plain))
    return plain.map((item: unknown) => (isRecord(item) ? fittedObject(item, items) : item));
  if (typeof plain !== "number") return plain;
  if (wanted.type === "string") return String(plain);
  const whole = wanted.type === "integer" ? Math.round(plain) : plain;
  return Math.min(Math.max(whole, wanted.minimum ?? -Infinity), wanted.maximum ?? Infinity);
}

const isSchema = (items: Schema["items"]): items is Schema =>
  typeof items === "object" && !Array.isArray(items);

function unquoted(value: string, type: Schema["type"]): unknown {
  const text = value.trim();
  if ((type === "integer" || type === "number") && /^-?\d+(?:\.\d+)?$/.test(text))
    return Number(text);
  if (type === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if (type !== "array" || !text.startsWith("[")) return value;
  return parseJson(text) ?? value;
}

function describeFaults(tool: Tool<unknown>, error: z.ZodError): string {
  const { properties = {}, required = [] } = readSchema(tool);
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

const limits =
  "minLength maxLength maxItems minimum exclusiveMinimum maximum additionalProperties".split(" ");

const everyTool: Tools = { has: () => true };

/**
 * The same bytes for the same tool, always: the definition is the start of the cached prefix. `others`:
 * the tools of the run, and so those that it may mention.
 */
export function defineTool(tool: Tool<unknown>, others: Tools = everyTool): ToolDefinition {
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
  const { name, choices = [] } = tool;
  const description = [toolLines(tool.description.trim(), others).join(" "), ...choices].join("\n");
  const ordered = Object.entries(schema).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { name, description, input_schema: { ...Object.fromEntries(ordered), type: "object" } };
}
