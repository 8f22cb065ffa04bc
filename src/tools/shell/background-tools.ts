/** The tools for a command that `Bash` started in the background: they read, type and end it. */

import { z } from "zod";
import type { ToolInput } from "../../protocol/block.ts";
import { textOutput, ToolError, touchesNothing, type Tool } from "../tool.ts";
import { describeError } from "../workspace.ts";
import type { BackgroundShells } from "./background.ts";
import inputDescription from "./bash-input.md" with { type: "text" };
import outputDescription from "./bash-output.md" with { type: "text" };
import killDescription from "./kill-shell.md" with { type: "text" };

const maxWaitSeconds = 600;

const outputSchema = z.strictObject({
  bash_id: z.string(),
  filter: z.string().min(1).max(1_000).optional().describe("Regular expression for lines to show."),
  wait: z
    .number()
    .min(0)
    .max(maxWaitSeconds)
    .optional()
    .describe("Seconds to wait for it to end or, with filter, for a matching line."),
});

export function bashOutputTool(shells: BackgroundShells): Tool<z.infer<typeof outputSchema>> {
  return {
    name: "BashOutput",
    description: outputDescription,
    schema: outputSchema,
    adapt: withSeconds,
    readOnly: true,
    intent: async ({ bash_id }) => touchesNothing(`Output of ${bash_id}`),
    async run({ bash_id, filter, wait = 0 }, { signal }) {
      const isEnough = async (text: string): Promise<boolean> =>
        filter !== undefined && (await matchingLines(text, filter)) !== "";
      if (wait > 0) await shells.wait(bash_id, { ms: wait * 1_000, signal, isEnough });
      return textOutput(await showOutput(shells, bash_id, filter));
    },
  };
}

/** Other agents say whether to wait, and for how many milliseconds. */
function withSeconds(input: ToolInput): ToolInput {
  const { block, wait = block, timeout, yield_time_ms: ms = timeout } = input;
  if (wait === false) return { ...input, wait: 0 };
  if (wait !== true && (wait !== undefined || typeof ms !== "number")) return input;
  return { ...input, wait: typeof ms === "number" ? ms / 1_000 : 60 };
}

async function showOutput(shells: BackgroundShells, id: string, filter?: string): Promise<string> {
  const { state, text, skippedBytes, file } = await shells.output(id);
  const shown = filter === undefined ? text : await matchingLines(text, filter);
  const gap = skippedBytes > 0 ? `[${skippedBytes} earlier bytes are in ${file}]\n` : "";
  const none = text === "" ? "(no new output)" : "(no new line matches)";
  return `${state}\n${gap}${shown || none}`;
}

/**
 * The lines that match a POSIX extended regular expression. Run by grep, since an expression from the
 * model could keep JavaScript's busy forever. Throws `ToolError`.
 */
async function matchingLines(text: string, pattern: string): Promise<string> {
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
    throw new ToolError(`The output could not be filtered (${describeError(error)}).`);
  }
}

const inputSchema = z.strictObject({ bash_id: z.string(), input: z.string().max(10_000) });

/** Longest wait for output after typed input, in milliseconds. */
const answerMs = 2_000;

export function bashInputTool(shells: BackgroundShells): Tool<z.infer<typeof inputSchema>> {
  return {
    name: "BashInput",
    description: inputDescription,
    schema: inputSchema,
    readOnly: false,
    async intent({ bash_id, input }) {
      const title = `Type into ${bash_id}`;
      // In the sandbox it can do no more than the command could that was approved.
      return shells.isConfined(bash_id)
        ? touchesNothing(title, input)
        : { access: { kind: "external" }, title, detail: input };
    },
    async run({ bash_id, input }, { signal }) {
      await shells.type(bash_id, input);
      await shells.wait(bash_id, { ms: answerMs, signal, isEnough: async () => true });
      return textOutput(await showOutput(shells, bash_id));
    },
  };
}

const killSchema = z.strictObject({ shell_id: z.string() });

export function killShellTool(shells: BackgroundShells): Tool<z.infer<typeof killSchema>> {
  return {
    name: "KillShell",
    description: killDescription,
    schema: killSchema,
    readOnly: false,
    intent: async ({ shell_id }) => touchesNothing(`Kill ${shell_id}`),
    run: async ({ shell_id }) => textOutput(await shells.kill(shell_id)),
  };
}
