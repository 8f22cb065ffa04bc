/** Git subcommands that lose work or rewrite what others have. */

import { asked, type Danger } from "./level.ts";
import { hasOption } from "./options.ts";

const lost = asked("discards work that git cannot restore");
const overwrites = asked("overwrites or deletes branches of a remote (git push)");
const rewrites = asked("rewrites the history of the repository");

type Test = (args: readonly string[]) => boolean;

const leavesChanges: Test = (args) =>
  hasOption(args, "fBC", "--force", "--discard-changes") ||
  args.includes(".") ||
  args.includes("--");

/** By subcommand: with which arguments it discards work. */
const discards: ReadonlyMap<string, Test> = new Map([
  ["reset", (args) => hasOption(args, "", "--hard", "--merge", "--keep")],
  ["clean", (args) => hasOption(args, "fdxX", "--force") && !hasOption(args, "n", "--dry-run")],
  ["checkout", leavesChanges],
  ["switch", leavesChanges],
  ["restore", (args) => !hasOption(args, "S", "--staged") || hasOption(args, "W", "--worktree")],
  ["branch", (args) => hasOption(args, "DMCf", "--delete", "--force")],
  ["tag", (args) => hasOption(args, "df", "--delete", "--force")],
  ["stash", ([first]) => first === "clear" || first === "drop"],
  ["update-ref", (args) => hasOption(args, "d", "--delete", "--stdin")],
  ["rm", (args) => hasOption(args, "rf", "--force")],
  ["worktree", (args) => args[0] === "remove" && hasOption(args, "f", "--force")],
]);

/** The same for what removes the objects themselves. */
const removesObjects: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["reflog", ([first]) => first === "expire" || first === "delete"],
  ["gc", (args) => hasOption(args, "", "--prune", "--aggressive")],
  ["prune", () => true],
]);

const overwritesBranches: Test = (args) =>
  hasOption(args, "fd", "--force", "--force-with-lease", "--force-if-includes") ||
  hasOption(args, "", "--mirror", "--delete", "--prune") ||
  args.some((arg) => /^[+:]\S/.test(arg));

export function gitLoss(args: readonly string[]): Danger | null {
  const at = verbAt(args);
  const verb = args[at] ?? "";
  const rest = args.slice(at + 1);
  if (/^(?:rebase|filter-branch|filter-repo|replace)$/.test(verb)) return rewrites;
  if (verb === "push") return overwritesBranches(rest) ? overwrites : null;
  if (removesObjects.get(verb)?.(rest)) return { ...lost, isFinal: true };
  return discards.get(verb)?.(rest) ? lost : null;
}

/** After options of git itself, some of which take the next word. */
function verbAt(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-")) {
    at += /^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path)$/.test(args[at] ?? "") ? 2 : 1;
  }
  return at;
}
