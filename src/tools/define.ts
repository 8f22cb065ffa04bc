/** A tool's schema as the API's definition, and the input of a call as the tool's own type. */

import { z } from "zod";
import type { ToolInput } from "../protocol/block.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import { takeStart } from "../protocol/clip.ts";
import { lenientInput } from "./lenient-input.ts";
import { ToolError, type Tool } from "./tool.ts";

/** The same bytes for the same tool, always: the definition is the start of the cached prefix. */
export function defineTool(tool: Tool<unknown>): ToolDefinition {
  if (tool.definition) return tool.definition;
  const { $schema: _, ...schema } = z.toJSONSchema(tool.schema, {
    io: "input",
    // Limits cost tokens in every request; a call that exceeds one gets an error that names it.
    override: ({ jsonSchema }) => {
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
      delete jsonSchema.maxItems;
      delete jsonSchema.minimum;
      delete jsonSchema.exclusiveMinimum;
      delete jsonSchema.maximum;
      delete jsonSchema.additionalProperties;
    },
  });
  const ordered = inOrder(schema);
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { ...ordered, type: "object" },
  };
}

function inOrder(value: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, value[key]]));
}

/** Throws `ToolError` that names each wrong field and what was expected there. */
export function parseInput(tool: Tool<unknown>, input: ToolInput): unknown {
  const broken = input["__invalid_json"];
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
