import { ToolError } from "../tool.ts";
import { codeOf } from "../workspace.ts";

/**
 * The lines that match a POSIX extended regular expression. Run by grep, since an expression from the
 * model could keep JavaScript's busy forever. Throws `ToolError`.
 */
export async function matchingLines(text: string, pattern: string): Promise<string> {
  try {
    const child = Bun.spawn(["grep", "--extended-regexp", `--regexp=${pattern}`], {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8" },
      stdin: new TextEncoder().encode(text),
      stdout: "pipe",
      stderr: "pipe",
      timeout: 10_000,
    });
    const [found, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) < 2) return found.trimEnd();
    throw new ToolError(`The filter is not a valid regular expression: ${errors.trim()}`);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(`The output could not be filtered (${codeOf(error)}).`);
  }
}
