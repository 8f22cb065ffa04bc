/** The tools that read from, and end, a command that `Bash` started in the background. */

import { z } from "zod";
import { textOutput, ToolError, touchesNothing, type Tool } from "../tool.ts";
import { codeOf } from "../workspace.ts";
import type { BackgroundShells } from "./background.ts";

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

/**
 * The lines that match a POSIX extended regular expression. Run by grep, since an expression from the
 * model could keep JavaScript's busy forever. Throws `ToolError`.
 */
export async function matchingLines(text: string, pattern: string): Promise<string> {
  try {
    const child = Bun.spawn(["grep", "--extended-regexp", `--regexp=${pattern}`], {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8" },
      stdin: Buffer.from(text),
      stdout: "pipe",
      stderr: "pipe",
      timeout: 10_000,
    });
    const [found, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if ((await child.exited) < 2) return found.trimEnd();
    throw new ToolError(`The filter is not a valid regular expression: ${errors.trim()}`);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(`The output could not be filtered (${codeOf(error)}).`);
  }
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
