/** A tool as the API knows it. */
export type ToolDefinition = {
  name: string;
  description: string;
  input_schema: { type: "object"; [key: string]: unknown };
};
