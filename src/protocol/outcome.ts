import type { ToolUseBlock } from "./block.ts";
import type { Entry, EntryOf } from "./entry.ts";

/** A result of a call, of the model's or of one within it. */
export const isOutcome = (entry: Entry): entry is EntryOf<"result" | "step"> =>
  entry.type === "result" || entry.type === "step";

/** The call of a step. */
export const stepCall = ({ toolUse: id, tool: name, input }: EntryOf<"step">): ToolUseBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
