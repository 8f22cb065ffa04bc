/** Whether files of the opened folder are used: instructions, git and whatever runs automatically. */

import { realpathSync } from "node:fs";
import type { Flags } from "../config/flags.ts";
import { type Paths, realHome } from "../config/paths.ts";
import type { Environment } from "../protocol/environment.ts";
import { messageOf } from "../protocol/in-words.ts";
import { leftOut } from "./left-out.ts";
import type { Project } from "./project-file.ts";
import { projectRoot, repositoryAround } from "./root.ts";
import { readTrust, saveTrust, type TrustDecision, trustOf } from "./trust.ts";

type OpenOptions = {
  flags: Pick<Flags, "trust">;
  paths: Pick<Paths, "trust">;
  env: Environment;
  cwd: string;
};

/** Null: there is nobody to ask. A number: the user leaves, with this exit code. */
export type AskTrust = ((root: string) => Promise<TrustDecision | number>) | null;

/** The project and what to report about it, or the exit code of a user who left. */
export async function openProject(
  { flags, paths, env, cwd }: OpenOptions,
  ask: AskTrust,
): Promise<{ project: Project; notices: string[] } | number> {
  const home = realHome(env);
  const root = projectRoot(cwd, home);
  const folder = realpathSync(cwd);
  // A worktree in a repository is trusted like that repository.
  const decidedFor = repositoryAround(root) ?? root;
  const { known, notices }: Known = flags.trust
    ? { known: "trusted", notices: [] }
    : knownTrust(paths.trust, [root, decidedFor], home);
  const answer = known ?? (await ask?.(decidedFor)) ?? "untrusted";
  if (typeof answer === "number") return answer;
  if (known === null && ask) notices.push(...remember(paths.trust, decidedFor, answer));
  const isTrusted = answer === "trusted";
  return {
    project: { root, folder, isTrusted },
    notices: [...notices, ...(isTrusted ? [] : unusedNotice(root, folder))],
  };
}

/** What the user decided earlier; null: nothing yet. */
type Known = { known: TrustDecision | null; notices: string[] };

function knownTrust(file: string, folders: readonly string[], home: string): Known {
  try {
    const decisions = readTrust(file);
    const known = folders.map((folder) => trustOf(decisions, folder, home)).find(Boolean) ?? null;
    return { known, notices: [] };
  } catch (error) {
    return { known: null, notices: [messageOf(error)] };
  }
}

function remember(file: string, root: string, answer: TrustDecision): string[] {
  try {
    saveTrust(file, root, answer);
    return [];
  } catch (error) {
    return [`Your decision on this folder was not saved: ${messageOf(error)}`];
  }
}

function unusedNotice(root: string, folder: string): string[] {
  const unused = leftOut(root, folder);
  if (unused.length === 0) return [];
  return [
    `Not used, because this folder is not trusted: ${unused.join(", ")}. Start with --trust to use them once, or run mini-claude trust.`,
  ];
}
