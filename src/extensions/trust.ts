/**
 * Whether the files of the opened folder are used: instructions, git and whatever runs automatically.
 * The user's decisions are in `trust.json`.
 */

import { dirname, basename, join } from "node:path";
import { z } from "zod";
import { readJson, saveJson } from "../config/json-file.ts";
import { lstatSync, realpathSync } from "node:fs";
import type { Flags } from "../config/flags.ts";
import { type Paths, realHome } from "../config/paths.ts";
import type { Environment } from "../base/environment.ts";
import { messageOf } from "../base/in-words.ts";
import { foldersBetween } from "../tools/workspace.ts";
import { projectSettings } from "./hooks/settings.ts";
import { instructionFiles, ruleFolders } from "./instructions/instructions.ts";
import { type Project, projectRoot, repositoryAround } from "./project.ts";
import { promptFolders } from "./commands/prompt-files.ts";
import { agentFolders } from "./agents.ts";

const schema = z.object({ folders: z.record(z.string(), z.enum(["trusted", "untrusted"])) });

export type TrustDecision = "trusted" | "untrusted";

/** By folder: absolute, without symlinks. */
type TrustDecisions = ReadonlyMap<string, TrustDecision>;

/** Throws with a sentence when the file is damaged. */
export function readTrust(file: string): TrustDecisions {
  const damaged = `${file} is damaged, so no folder is trusted. Correct it or remove it.`;
  return new Map(Object.entries(readJson(file, schema, damaged)?.folders ?? {}));
}

/**
 * The decision that holds for a folder: its own, else a trusted parent's. The home and `/` cover
 * nothing below them. Null: the user has not decided.
 */
export function findDecision(
  decisions: TrustDecisions,
  folder: string,
  home: string,
): TrustDecision | null {
  const own = decisions.get(folder);
  if (own) return own;
  for (let at = dirname(folder); at !== home && at !== dirname(at); at = dirname(at)) {
    const decision = decisions.get(at);
    if (decision) return decision === "trusted" ? "trusted" : null;
  }
  return null;
}

/** Null forgets the folder. Throws when the file is damaged or cannot be written. */
export function saveTrust(file: string, folder: string, decision: TrustDecision | null): void {
  const decisions = new Map(readTrust(file));
  if (decision === null) decisions.delete(folder);
  else decisions.set(folder, decision);
  saveJson(file, { folders: Object.fromEntries(decisions) });
}

type TrustOptions = {
  flags: Pick<Flags, "trust">;
  paths: Pick<Paths, "trust">;
  env: Environment;
  cwd: string;
};

/** Null: there is nobody to ask. A number: the user leaves, with this exit code. */
export type AskTrust<Left extends number = number> =
  ((root: string) => Promise<TrustDecision | Left>) | null;

/** The project, which of its files are not used, and what to report about it, or the exit code of a user who left. */
export async function openProject<Left extends number = never>(
  { flags, paths, env, cwd }: TrustOptions,
  ask: AskTrust<Left>,
): Promise<{ project: Project; unused: string[]; notices: string[] } | Left> {
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
  return { project: { root, folder, isTrusted }, unused, notices };
}

/** The user's earlier decision; null: none yet. */
function knownTrust(
  file: string,
  folders: readonly string[],
  home: string,
  notices: string[],
): TrustDecision | null {
  try {
    const decisions = readTrust(file);
    return folders.map((folder) => findDecision(decisions, folder, home)).find(Boolean) ?? null;
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
