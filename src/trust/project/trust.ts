/** Whether the files of the opened folder are used: instructions, git and automatically run programs. */

import { basename, join } from "node:path";
import { lstatSync, realpathSync } from "node:fs";
import type { Flags } from "../../config/flags.ts";
import { type Paths, realHome } from "../../config/paths.ts";
import type { Environment } from "../../base/environment.ts";
import { clipLine } from "../../base/clip.ts";
import { attempt } from "../../base/guards.ts";
import { errorMessage } from "../../base/format.ts";
import { isMissing } from "../../base/regular-file.ts";
import { foldersBetween } from "../../tools/workspace.ts";
import { projectSettings } from "../rules/project-rules.ts";
import { instructionFiles, ruleFolders } from "../../extensions/instructions/instructions.ts";
import {
  findDecision,
  type Project,
  projectRoot,
  readApprovals,
  readTrust,
  repositoryAround,
  saveTrust,
  type TrustDecision,
} from "./project.ts";
import { promptFolders, agentFolders } from "../../extensions/commands/prompt-files.ts";

type TrustOptions = {
  flags: Pick<Flags, "trust">;
  paths: Pick<Paths, "trust" | "mcp" | "root">;
  env: Environment;
  cwd: string;
};

/** Characters of the requests that a report names. */
const maxNoticeChars = 1_000;

/** Null: unattended. A number: the exit code, because the user quit. */
export type AskTrust<Left extends number = number> =
  | ((root: string, asks: readonly string[], isTrusted: boolean) => Promise<TrustDecision | Left>)
  | null;

/** Opens the project; `unused` names ignored files. A number: the exit code of a user who left. */
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
  const { asks, problems } =
    known === "untrusted" ? { asks: [], problems: [] } : await readAsks(root, folder, paths);
  const pending = flags.trust ? [] : asks;
  const texts = pending.map(({ text }) => text);
  const answer = known ?? (await ask?.(decidedFor, texts, false)) ?? "untrusted";
  if (typeof answer === "number") return answer;
  if (known === null && ask)
    await remember(() => saveTrust(paths.trust, decidedFor, answer), notices);
  const isTrusted = answer === "trusted";
  if (isTrusted) notices.push(...problems);
  if (isTrusted && pending.length > 0) {
    const more = known === null ? answer : await ask?.(decidedFor, texts, true);
    if (typeof more === "number") return more;
    if (more === undefined)
      notices.push(
        `Not used until you approve it: ${clipLine(texts.join("; "), maxNoticeChars)}. Run mini-claude trust --approve.`,
      );
    else
      await remember(async () => {
        const { decideAsks } = await import("./asks.ts");
        decideAsks(root, pending, more === "trusted", paths);
      }, notices);
  }
  const unused = isTrusted ? [] : leftOut(root, folder);
  if (unused.length > 0)
    notices.push(
      `Not used, because this folder is not trusted: ${unused.join(", ")}. Start with --trust to use them once, or run mini-claude trust.`,
    );
  const approved = flags.trust ? null : attempt(() => readApprovals(paths.trust, root), new Map());
  const approves = (hash: string): boolean => approved?.get(hash) === "approved";
  return {
    project: { root, folder, isTrusted, ...(approved && { approves }) },
    unused,
    notices,
  };
}

/** Undecided requests of the project, and a sentence for each settings file that cannot be used. */
async function readAsks(root: string, folder: string, paths: TrustOptions["paths"]) {
  const names = [...projectSettings, ".mcp.json", ...promptFolders.command, ...promptFolders.skill];
  const mayAsk = foldersBetween(root, folder).some((at) =>
    names.some((name) => isThere(join(at, name))),
  );
  if (!mayAsk) return { asks: [], problems: [] };
  const { pendingAsks, unusableFiles } = await import("./asks.ts");
  const problems = await unusableFiles({ root, folder });
  try {
    return { asks: await pendingAsks({ root, folder }, paths), problems };
  } catch (error) {
    const why = errorMessage(error);
    problems.push(
      `Your approvals for this folder could not be read, so the project's hooks, MCP servers and allow rules are not active: ${why}`,
    );
    return { asks: [], problems };
  }
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
    notices.push(errorMessage(error));
    return null;
  }
}

/** Saves a decision, which holds for this run even if saving fails. */
async function remember(save: () => void | Promise<void>, notices: string[]): Promise<void> {
  try {
    await save();
  } catch (error) {
    notices.push(`Your decision on this folder was not saved: ${errorMessage(error)}`);
  }
}

/** Names the files that an untrusted project would contribute, without reading them. */
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

/** True if unknown: behind an unreadable folder or a symlink loop. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !isMissing(error);
  }
}
