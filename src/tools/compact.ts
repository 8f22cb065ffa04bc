import { z } from "zod";
import { textOutput, touchesNothing, type Tool } from "./tool.ts";

const schema = z.strictObject({
  focus: z.string().optional().describe("What the summary must keep."),
});

/** Lets the model ask for a summary. The agent compacts later, when history may be rewritten. */
export const compactTool: Tool<unknown> = {
  name: "Compact",
  description:
    "Asks for a summary of the conversation, once much of it no longer matters. The log keeps all of it.",
  schema,
  readOnly: true,
  intent: async () => touchesNothing("compact the conversation"),
  run: async () => textOutput("The conversation will be compacted soon."),
};
