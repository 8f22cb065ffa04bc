/** Runs a command so that what it changes can be undone. */

import { ToolError, type ToolOutput, type ToolRun } from "../tool.ts";
import type { CommandChanges, CommandWatch, JudgedCommand } from "./command-watch.ts";

type WatchedCommand = JudgedCommand & Pick<ToolRun, "toolUse" | "ask">;

/** `run` never throws. Throws `ToolError` if nobody was asked and what it changes could not be undone. */
export async function runWatched(
  watch: CommandWatch,
  command: WatchedCommand,
  run: () => Promise<ToolOutput>,
): Promise<ToolOutput & { watched?: CommandChanges }> {
  const { wasAsked, execution, toolUse, ask } = command;
  const isWatched = await watch.begin();
  if (!isWatched && !wasAsked && execution.confined) throw new ToolError(tooMuch);
  const output = await run();
  if (!isWatched) return output;
  const watched = await watch.finish(command, ask, toolUse);
  return { ...withNote(output, watched.note), watched };
}

const tooMuch =
  "The folder holds too many files to undo what a command changes, or their state cannot be saved. Send it again with sandbox: false, which needs approval.";

/** With a note for the model at the end of its text. */
const withNote = (output: ToolOutput, note: string): ToolOutput =>
  note === ""
    ? output
    : { ...output, content: [...output.content, { type: "text", text: note.trim() }] };
