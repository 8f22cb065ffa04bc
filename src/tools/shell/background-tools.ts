/** The tools that read from, and end, a command that `Bash` started in the background. */

import { z } from "zod";
import { textOutput, touchesNothing, type Tool } from "../tool.ts";
import type { BackgroundShells } from "./background.ts";
import { matchingLines } from "./matching-lines.ts";

const outputInput = z.strictObject({
  bash_id: z.string(),
  filter: z.string().min(1).max(1_000).optional().describe("Regular expression for lines to show."),
});

export function bashOutputTool(shells: BackgroundShells): Tool<z.infer<typeof outputInput>> {
  return {
    name: "BashOutput",
    description: "Returns what a background command wrote since the last call, and its state.",
    schema: outputInput,
    readOnly: true,
    intent: async ({ bash_id }) => touchesNothing(`Output of ${bash_id}`),
    run: async ({ bash_id, filter }) => {
      const { state, text, skippedBytes, file } = await shells.output(bash_id);
      const shown = filter === undefined ? text : await matchingLines(text, filter);
      const gap = skippedBytes > 0 ? `[${skippedBytes} earlier bytes are in ${file}]\n` : "";
      const none = text === "" ? "(no new output)" : "(no new line matches)";
      return textOutput(`${state}\n${gap}${shown || none}`);
    },
  };
}

const killInput = z.strictObject({ shell_id: z.string() });

export function killShellTool(shells: BackgroundShells): Tool<z.infer<typeof killInput>> {
  return {
    name: "KillShell",
    description: "Kills a background command and everything it started.",
    schema: killInput,
    aliases: { bash_id: "shell_id" },
    readOnly: false,
    intent: async ({ shell_id }) => touchesNothing(`Kill ${shell_id}`),
    run: async ({ shell_id }) => textOutput(await shells.kill(shell_id)),
  };
}
