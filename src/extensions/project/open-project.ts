/** Whether files of the opened folder are used: instructions, git and whatever runs automatically. */

import { lstatSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import type { Flags } from "../../config/flags.ts";
import { type Paths, realHome } from "../../config/paths.ts";
import type { Environment } from "../../base/environment.ts";
import { messageOf } from "../../base/in-words.ts";
import { foldersBetween } from "../../tools/workspace.ts";
import { projectSettings } from "./hook-settings.ts";
import { instructionFiles } from "./instructions.ts";
import type { Project } from "./project-file.ts";
import { promptFolders } from "./prompt-files/prompt-files.ts";
import { projectRoot, repositoryAround } from "./root.ts";
import { ruleFolders } from "./rules.ts";
import { agentFolders } from "./subagents.ts";
import { readTrust, saveTrust, type TrustDecision, trustOf } from "./trust.ts";

type OpenOptions = {
  flags: Pick<Flags, "trust">;
  paths: Pick<Paths, "trust">;
  env: Environment;
  cwd: string;
};

/** Null: there is nobody to ask. A number: the user leaves, with this exit code. */
export type AskTrust<Left extends number = number> =
  ((root: string) => Promise<TrustDecision | Left>) | null;

/** The project and what to report about it, or the exit code of a user who left. */
export async function openProject<Left extends number = never>(
  { flags, paths, env, cwd }: OpenOptions,
  ask: AskTrust<Left>,
): Promise<{ project: Project; notices: string[] } | Left> {
  const home = realHome(env);
  const root = projectRoot(cwd, home);
  const folder = realpathSync(cwd);
  // A worktree in a repository is trusted like that repository.
  const decidedFor = repositoryAround(root) ?? root;
  const notices: string[] = [];
  const known = flags.trust
    ? "trusted"
    : knownTrust(paths.trust, [root, decidedFor], home, notices);
  const answer = known ?? (await ask?.(decidedFor)) ?? "untrusted";
  if (typeof answer === "number") return answer;
  if (known === null && ask) remember(paths.trust, decidedFor, answer, notices);
  const isTrusted = answer === "trusted";
  const unused = isTrusted ? [] : leftOut(root, folder);
  if (unused.length > 0)
    notices.push(
      `Not used, because this folder is not trusted: ${unused.join(", ")}. Start with --trust to use them once, or run mini-claude trust.`,
    );
  return { project: { root, folder, isTrusted }, notices };
}

/** What the user decided earlier; null: nothing yet. */
function knownTrust(
  file: string,
  folders: readonly string[],
  home: string,
  notices: string[],
): TrustDecision | null {
  try {
    const decisions = readTrust(file);
    return folders.map((folder) => trustOf(decisions, folder, home)).find(Boolean) ?? null;
  } catch (error) {
    notices.push(messageOf(error));
    return null;
  }
}

function remember(file: string, root: string, answer: TrustDecision, notices: string[]): void {
  try {
    saveTrust(file, root, answer);
  } catch (error) {
    notices.push(`Your decision on this folder was not saved: ${messageOf(error)}`);
  }
}

/** Names what an untrusted project has that is not used. Only checks whether files exist. */
function leftOut(root: string, cwd: string): string[] {
  const instructions = instructionFiles({ root, cwd })
    .filter(isThere)
    .map((file) => basename(file));
  const folders = foldersBetween(root, cwd);
  const inFolders = (names: readonly string[]): string[] =>
    folders.flatMap((folder) => names.filter((name) => isThere(join(folder, name))));
  const settings = inFolders(projectSettings).map((name) => `${name} (hooks)`);
  const prompts = inFolders([...promptFolders.command, ...promptFolders.skill]);
  const rules = inFolders(ruleFolders);
  const agents = agentFolders.filter((name) => isThere(join(root, name)));
  const servers = inFolders([".mcp.json"]);
  const git = isThere(join(root, ".git")) ? ["git status"] : [];
  return [
    ...new Set([...instructions, ...rules, ...settings, ...agents, ...prompts, ...servers]),
    ...git,
  ];
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
