/** Programs of the person's own that take the terminal over for a while. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Environment = Record<string, string>;

/**
 * The text as the person left it in their editor ($VISUAL, $EDITOR, else vi). Throws when the
 * editor cannot be started or ends with an error; the text is unchanged then.
 */
export async function editText(
  text: string,
  editor: string | undefined,
  env: Environment,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mini-claude-"));
  const file = join(folder, "prompt.md");
  try {
    await writeFile(file, text, { mode: 0o600 });
    const command = editor ?? env["VISUAL"] ?? env["EDITOR"] ?? "vi";
    const code = await run([...words(command), file], env);
    if (code !== 0)
      throw new Error(
        `The editor “${command}” ended with exit code ${code}; the prompt is unchanged.`,
      );
    return (await readFile(file, "utf8")).replace(/\n$/, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Shows the text in $PAGER, else in less. */
export async function pageText(text: string, env: Environment): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "mini-claude-"));
  const file = join(folder, "transcript.txt");
  try {
    await writeFile(file, text, { mode: 0o600 });
    await run([...words(env["PAGER"] ?? "less -R"), file], env);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const words = (command: string): string[] => command.split(/\s+/).filter((word) => word !== "");

async function run(command: string[], env: Environment): Promise<number> {
  try {
    const child = Bun.spawn(command, {
      env,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    });
    return await child.exited;
  } catch {
    throw new Error(
      `“${command[0]}” cannot be started. Set EDITOR or PAGER to a program that is installed.`,
    );
  }
}
