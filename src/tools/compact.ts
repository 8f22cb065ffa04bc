import { z } from "zod";
import { textOutput, touchesNothing, type Tool } from "./tool.ts";
import description from "./compact.md" with { type: "text" };

const schema = z.strictObject({
  focus: z.string().optional().describe("What the summary must keep."),
});

/** Lets the model ask for a summary. The agent compacts later, when history may be rewritten. */
export const compactTool: Tool<unknown> = {
  name: "Compact",
  description,
  schema,
  readOnly: true,
  intent: async () => touchesNothing("compact the conversation"),
  run: async () => textOutput("The conversation will be compacted soon."),
};
