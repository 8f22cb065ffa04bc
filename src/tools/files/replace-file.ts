import { NotAFile, replaceFile as replace } from "../../disk/replace-file.ts";
import { ToolError } from "../tool.ts";
import { codeOf, type WorkspacePath } from "../workspace.ts";

/** Like `disk/replace-file.ts`, with errors for the model. Throws `ToolError`. */
export async function replaceFile(target: WorkspacePath, bytes: Uint8Array): Promise<void> {
  try {
    await replace(target.path, bytes);
  } catch (error) {
    throw new ToolError(
      error instanceof NotAFile
        ? `${target.shown} is not an ordinary file.`
        : `${target.shown} could not be written (${codeOf(error)}).`,
    );
  }
}
