/** Verbs of git that lose work or rewrite what others have. */

import { asked, type Danger } from "./level.ts";
import { hasOption } from "./options.ts";

const lost = asked("discards work that git cannot restore");

export function gitLoss(args: readonly string[]): Danger | null {
  const at = verbAt(args);
  const verb = args[at] ?? "";
  const rest = args.slice(at + 1);
  switch (verb) {
    case "push":
      return hasOption(
        rest,
        "fd",
        "--force",
        "--force-with-lease",
        "--force-if-includes",
        "--mirror",
        "--delete",
        "--prune",
      ) || rest.some((arg) => /^[+:]\S/.test(arg))
        ? asked("overwrites or deletes branches of others (git push)")
        : null;
    case "reset":
      return hasOption(rest, "", "--hard", "--merge", "--keep") ? lost : null;
    case "clean":
      return hasOption(rest, "fdxX", "--force") && !hasOption(rest, "n", "--dry-run") ? lost : null;
    case "checkout":
    case "switch":
      return hasOption(rest, "fBC", "--force", "--discard-changes") ||
        rest.includes(".") ||
        rest.includes("--")
        ? lost
        : null;
    case "restore":
      return hasOption(rest, "S", "--staged") && !hasOption(rest, "W", "--worktree") ? null : lost;
    case "branch":
      return hasOption(rest, "DMCf", "--delete", "--force") ? lost : null;
    case "tag":
      return hasOption(rest, "df", "--delete", "--force") ? lost : null;
    case "stash":
      return ["clear", "drop"].includes(rest[0] ?? "") ? lost : null;
    case "reflog":
      return ["expire", "delete"].includes(rest[0] ?? "") ? lost : null;
    case "gc":
    case "prune":
      return hasOption(rest, "", "--prune", "--aggressive") || verb === "prune" ? lost : null;
    case "update-ref":
      return hasOption(rest, "d", "--delete", "--stdin") ? lost : null;
    case "rm":
      return hasOption(rest, "rf", "--force") ? lost : null;
    case "worktree":
      return rest[0] === "remove" && hasOption(rest, "f", "--force") ? lost : null;
    case "rebase":
    case "filter-branch":
    case "filter-repo":
    case "replace":
      return asked("rewrites the history of the repository");
    default:
      return null;
  }
}

/** After options of git itself, some of which take the next word. */
function verbAt(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-")) {
    at += /^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path)$/.test(args[at] ?? "") ? 2 : 1;
  }
  return at;
}
