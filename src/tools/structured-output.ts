import { z } from "zod";
import { errorMessage } from "../base/format.ts";
import { textOutput, ToolError, touchesNothing, type Tool } from "./tool.ts";
import description from "./structured-output.md" with { type: "text" };

/** The tool by which the model answers in the form of a JSON schema. Throws when the schema is not valid. */
export function structuredOutputTool(schema: Record<string, unknown>): Tool<unknown> {
  return {
    name: "StructuredOutput",
    description,
    schema: makeParser(schema),
    isExact: true,
    readOnly: true,
    intent: async () => touchesNothing("answer in the required form"),
    run: async () => textOutput("The answer has been returned."),
  };
}

function makeParser(schema: Record<string, unknown>): z.ZodType {
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    throw new ToolError(`The JSON schema of the answer cannot be used: ${errorMessage(error)}`);
  }
}
