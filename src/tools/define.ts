/** A tool's schema as the API's definition. */

import { z } from "zod";
import type { ToolDefinition } from "../protocol/model.ts";
import type { Tool } from "./tool.ts";

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
