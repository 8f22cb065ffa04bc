import type { ToolUseBlock } from "./block.ts";
import type { Entry, EntryOf } from "./entry.ts";

/** Result of a model's call, or of a step within one. */
export const isOutcome = (entry: Entry): entry is EntryOf<"result" | "step"> =>
  entry.type === "result" || entry.type === "step";

/** A step as a tool call. */
export const stepCall = ({ toolUse: id, tool: name, input }: EntryOf<"step">): ToolUseBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
