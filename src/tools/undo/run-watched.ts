/** Runs a command so that what it changes can be undone. */

import { NoView, ToolError, type Execution, type ToolOutput, type ToolRun } from "../tool.ts";
import type { CommandChanges, CommandWatch, JudgedCommand } from "./command-watch.ts";

type WatchedCommand = JudgedCommand & Pick<ToolRun, "toolUse" | "ask">;

/** `run` throws only `NoView`. Throws `ToolError` if nobody was asked and what it changes could not be undone. */
export async function runWatched(
  watch: CommandWatch,
  command: WatchedCommand,
  run: (execution: Execution) => Promise<ToolOutput>,
): Promise<ToolOutput & { watched?: CommandChanges }> {
  const { execution, isBackground, toolUse, ask } = command;
  const isUnasked = execution.undoable === "required";
  const layer = isUnasked ? await watch.isolate(execution, toolUse, isBackground) : null;
  const unkept = layer ? [] : await watch.begin();
  if (isUnasked && unkept === null) throw new ToolError(tooMuch + (await watch.takeNews()));
  const how = layer ? { layer: layer.layer } : { unkept: unkept ?? [] };
  let output: ToolOutput;
  try {
    output = await run(isUnasked ? { ...execution, ...how } : execution);
  } catch (error) {
    if (!(error instanceof NoView)) throw error;
    await watch.giveUpViews(error.message);
    return runWatched(watch, command, run);
  }
  if (unkept === null) return output;
  const watched = await watch.finish(command, ask, toolUse, layer);
  return { ...withNote(output, watched.note), watched };
}

const tooMuch =
  "The folder holds too many files to undo what a command changes, or their state cannot be saved. Send it again with sandbox: false, which needs approval.";

/** With a note for the model at the end of its text. */
const withNote = (output: ToolOutput, note: string): ToolOutput =>
  note === ""
    ? output
    : { ...output, content: [...output.content, { type: "text", text: note.trim() }] };
