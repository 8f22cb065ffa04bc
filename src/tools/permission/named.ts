/** Whether a command names what must not be read, or prints it. */

import { resolve } from "node:path";
import type { FoundCommand } from "./line/every-command.ts";
import { programName } from "./line/unwrap.ts";
import { isMuteGit } from "./git-verbs.ts";
import { isSecret } from "./sensitive.ts";
import { readTool } from "./tool-names.ts";
import type { Situation } from "./verdict.ts";

/** A word of the line that names a file with secrets, as a warning. */
export function namedSecret(
  commands: readonly FoundCommand[],
  { folders, workspace, cwd }: Situation,
): string | null {
  const path = commands
    .flatMap((command) => possiblePaths(command, cwd))
    .find((path) => isSecret(path, folders));
  return path === undefined ? null : `It names ${workspace.show(path)}, which may hold secrets.`;
}

/** Paths that the words of a command may name, also after an option's letter or name, or a commit. */
const possiblePaths = ({ argv, inputs, cwd }: FoundCommand, start: string): string[] =>
  [...argv.slice(1), ...inputs]
    .flatMap((word) => [word, word.replace(/^-\w/, ""), ...word.split(/[=:,@\s"'`()]/)])
    .filter((word) => word !== "")
    .map((word) => resolve(start, cwd, word));

/** Rules that restrict reading are about what other programs print, too, and above all about git. */
export function mayPrintRefused(commands: readonly FoundCommand[], now: Situation): boolean {
  const isRefused = now.rules.refusedPaths(readTool);
  return (
    isRefused !== null &&
    commands.some(
      (command) =>
        possiblePaths(command, now.cwd).some(isRefused) ||
        (isGit(command) && !isMuteGit(command.argv.slice(1))),
    )
  );
}

export const isGit = ({ argv }: FoundCommand): boolean => programName(argv[0] ?? "") === "git";
