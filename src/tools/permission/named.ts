/** Whether a command names what must not be read, or prints it. */

import { resolve } from "node:path";
import type { FoundCommand } from "./line/every-command.ts";
import { programName } from "./line/unwrap.ts";
import { isQuietVerb } from "./read-only/git-verbs.ts";
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

/** Subcommands that print names at most, and put files nowhere but where they belong. */
const mute =
  /^(?:add|am|bisect|branch|checkout|cherry-pick|clean|commit|fetch|fsck|gc|init|merge|mv|prune|pull|push|rebase|remote|reset|restore|revert|rm|stash(?: (?:push|pop|apply|drop|clear|save|list))?$|submodule|switch|tag|update-index|update-ref|write-tree)$/;

function isMuteGit(args: readonly string[]): boolean {
  const rest = [...args];
  while (rest[0]?.startsWith("-")) rest.splice(0, /^-[cC]$/.test(rest[0]) ? 2 : 1);
  const [verb = "", ...more] = rest;
  if (isQuietVerb(rest)) return true;
  const isTold = more.some((word) => /^-[a-zA-Z]*[pvuU]|^--(?:patch|verb|unif|dry)/.test(word));
  return !isTold && mute.test(verb === "stash" ? [verb, ...more.slice(0, 1)].join(" ") : verb);
}
