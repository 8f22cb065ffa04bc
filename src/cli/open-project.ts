/** Whether files of the opened folder are used: instructions, git and whatever runs automatically. */

import { realpathSync } from "node:fs";
import type { Flags } from "../config/flags.ts";
import { realHome, type Paths } from "../config/paths.ts";
import { leftOut } from "../project/left-out.ts";
import { projectRoot } from "../project/root.ts";
import { readTrust, saveTrust, trustOf, type TrustDecision } from "../project/trust.ts";
import { messageOf } from "./output.ts";

/** The opened folder, and the root that trust is decided for; both without symlinks. */
export type Project = { root: string; folder: string; isTrusted: boolean };

type OpenOptions = {
  flags: Pick<Flags, "trust">;
  paths: Pick<Paths, "trust">;
  env: Record<string, string | undefined>;
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
  const { known, notices }: Known = flags.trust
    ? { known: "trusted", notices: [] }
    : knownTrust(paths.trust, root, home);
  const answer = known ?? (await ask?.(root)) ?? "untrusted";
  if (typeof answer === "number") return answer;
  if (known === null && ask) notices.push(...remember(paths.trust, root, answer));
  const isTrusted = answer === "trusted";
  return {
    project: { root, folder, isTrusted },
    notices: [...notices, ...(isTrusted ? [] : unusedNotice(root, folder))],
  };
}

/** What the user decided earlier; null: nothing yet. */
type Known = { known: TrustDecision | null; notices: string[] };

function knownTrust(file: string, root: string, home: string): Known {
  try {
    return { known: trustOf(readTrust(file), root, home), notices: [] };
  } catch (error) {
    return { known: null, notices: [messageOf(error)] };
  }
}

function remember(file: string, root: string, answer: TrustDecision): string[] {
  try {
    saveTrust(file, root, answer);
    return [];
  } catch (error) {
    return [`Your answer was not saved: ${messageOf(error)}`];
  }
}

function unusedNotice(root: string, folder: string): string[] {
  const unused = leftOut(root, folder);
  if (unused.length === 0) return [];
  return [
    `Not used, because this folder is not trusted: ${unused.join(", ")}. Start with --trust to use them once, or run mini-claude trust.`,
  ];
}
