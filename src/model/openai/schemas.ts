/** Schemas of tools, in the forms that servers accept. */

import { isRecord } from "../../base/guards.ts";
import type { ToolDefinition } from "../../protocol/model.ts";

type Schema = ToolDefinition["input_schema"];

const full = new WeakMap<Schema, object>();
const plain = new WeakMap<Schema, object>();

/** The same object for the same schema: nothing of a tool changes during a session. */
export function toSchema(schema: Schema, isPlain: boolean): object {
  const known = isPlain ? plain : full;
  const before = known.get(schema);
  if (before) return before;
  const definitions = { ...asRecord(schema["definitions"]), ...asRecord(schema["$defs"]) };
  const made = isPlain ? simplified(schema, definitions, 0) : withProperties(schema);
  const result = isRecord(made) ? made : schema;
  known.set(schema, result);
  return result;
}

const asRecord = (value: unknown): { [key: string]: unknown } => (isRecord(value) ? value : {});

/** OpenAI refuses an object that lists no properties. */
function withProperties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withProperties);
  if (!isRecord(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "properties" || key === "$defs" || key === "definitions"
        ? mapValues(inner, withProperties)
        : holdsSchemas.has(key)
          ? withProperties(inner)
          : inner,
    ]),
  );
  const isObject = copy["type"] === "object";
  return isObject && !isRecord(copy["properties"]) ? { ...copy, properties: {} } : copy;
}

const holdsSchemas: ReadonlySet<string> = new Set(["items", "anyOf", "oneOf", "allOf"]);

const mapValues = (value: unknown, change: (inner: unknown) => unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]))
    : value;

/** Keywords that every server knows. */
const common: ReadonlySet<string> = new Set(
  "type description enum items properties required anyOf nullable minimum maximum minItems maxItems".split(
    " ",
  ),
);

const maxDepth = 24;

/**
 * With the common keywords alone: references are replaced by what they mean, a constant is a list of
 * one, and several types are alternatives. The tool itself still checks its input.
 */
function simplified(value: unknown, definitions: Schema | object, depth: number): unknown {
  if (!isRecord(value) || depth > maxDepth) return { type: "object", properties: {} };
  const { $ref: reference } = value;
  if (typeof reference === "string") {
    const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(reference)?.[1];
    const { $ref: _, ...beside } = value;
    const target = name === undefined ? undefined : asRecord(definitions)[decodeURIComponent(name)];
    return simplified({ ...asRecord(target), ...beside }, definitions, depth + 1);
  }
  const inner = (part: unknown): unknown => simplified(part, definitions, depth + 1);
  const copy: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    if (key === "properties") copy[key] = mapValues(part, inner);
    else if (key === "items") copy[key] = inner(Array.isArray(part) ? part[0] : part);
    else if (key === "anyOf" || key === "oneOf")
      copy["anyOf"] = Array.isArray(part) ? part.map(inner) : [];
    else if (key === "allOf" && Array.isArray(part))
      for (const option of part) Object.assign(copy, asRecord(inner(option)));
    else if (key === "const") Object.assign(copy, constant(part));
    else if (key === "exclusiveMinimum" && typeof part === "number") copy["minimum"] ??= part;
    else if (key === "exclusiveMaximum" && typeof part === "number") copy["maximum"] ??= part;
    else if (key === "type" && Array.isArray(part)) Object.assign(copy, oneOfTypes(part));
    else if (common.has(key)) copy[key] = part;
  }
  // Gemini takes enums of strings alone.
  if (Array.isArray(copy["enum"])) copy["enum"] = copy["enum"].map(String);
  if (Array.isArray(copy["enum"]) && copy["type"] !== undefined) copy["type"] = "string";
  if (copy["type"] === "object" && !isRecord(copy["properties"])) copy["properties"] = {};
  if (copy["type"] === "array" && !isRecord(copy["items"])) copy["items"] = { type: "string" };
  if (Array.isArray(copy["required"]) && isRecord(copy["properties"])) {
    const { properties } = copy;
    copy["required"] = copy["required"].filter((name) =>
      Object.hasOwn(asRecord(properties), String(name)),
    );
  }
  return copy;
}

const constant = (value: unknown): object => ({ type: "string", enum: [String(value)] });

function oneOfTypes(types: readonly unknown[]): object {
  const known = types.filter((type) => type !== "null");
  const nullable = known.length < types.length ? { nullable: true } : {};
  return known.length === 1
    ? { type: known[0], ...nullable }
    : { anyOf: known.map((type) => ({ type })), ...nullable };
}
