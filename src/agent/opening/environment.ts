import { clipLine } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import { blockText } from "../../protocol/block.ts";
import type { ContextFact, Entry } from "../../protocol/entry.ts";
import { modeMeanings, type PermissionMode } from "../../protocol/permission.ts";

export type Surroundings = {
  cwd: string;
  addedFolders: readonly string[];
  mode: PermissionMode;
  /** Commands are confined; null: there are none. */
  hasSandbox: boolean | null;
  /** Unattended run: no answers, no approvals. */
  isUnattended: boolean;
  /** The session has the tool ExitPlanMode. */
  submitsPlans: boolean;
  /** Asks git about the project; null when the project is not trusted. */
  git: Git | null;
  now: Date;
  /** That of this process by default. */
  platform?: NodeJS.Platform;
};

/** The output of a git command; null when it has no answer. */
export type Git = (args: readonly string[]) => Promise<string | null>;

/** `changedFiles` is null if git does not say. */
export type GitState = { branch: string; changedFiles: number | null };

/** The machine and the project, for the model. Later changes are appended as news. */
export async function describeEnvironment({
  cwd,
  addedFolders,
  mode,
  hasSandbox,
  isUnattended,
  submitsPlans,
  git,
  now,
  platform = process.platform,
}: Surroundings): Promise<ContextFact> {
  const lines = [
    `Working folder: ${cwd}`,
    ...addedFolders.map((folder) => `Added folder: ${folder}`),
    `Platform: ${platform} ${process.arch}`,
    ...(platform === "win32" && hasSandbox !== null ? [gitBash] : []),
    today(now),
    `Permission mode: ${mode} (${modeForModel(mode, submitsPlans)})`,
    ...(hasSandbox === null ? [] : [hasSandbox ? confined(platform, isUnattended) : unconfined]),
    ...(isUnattended ? [unattended] : []),
    ...(git === null ? [] : await gitLines(git)),
  ];
  return contextFact("environment", "environment", lines.join("\n"));
}

/** Swedish dates are written like ISO's: 2026-11-24. */
const today = (now: Date): string => `Today: ${now.toLocaleDateString("sv")}`;

const saidToday = /^Today: \d{4}-\d\d-\d\d$/m;

/** News once the day after the one that the model was told has begun; null before that. */
export function newDay(path: readonly Entry[], now: Date): ContextFact | null {
  for (const entry of path.toReversed()) {
    if (entry.type !== "context" || entry.kind !== "environment") continue;
    const [told] = saidToday.exec(blockText(entry.content)) ?? [];
    if (told === undefined) continue;
    return told < today(now) ? contextFact("environment", "a new day", today(now)) : null;
  }
  return null;
}

/** Explains a mode to the model. */
export const modeForModel = (mode: PermissionMode, submitsPlans: boolean): string =>
  mode === "plan"
    ? `read-only: no file is changed, and only commands that read or check are run; explore, then ${submitsPlans ? "submit your plan with ExitPlanMode" : "answer, and describe changes instead of making them"}`
    : modeMeanings[mode];

const confined = (platform: NodeJS.Platform, isUnattended: boolean): string =>
  (platform === "darwin"
    ? "Sandbox: commands can write to the workspace and to $TMPDIR, which is this session's own; " +
      "/tmp and the home folder are hidden, and the network is off, localhost too."
    : "Sandbox: commands can write to the workspace and to /tmp, which is this session's own and the same for file tools; " +
      "the home folder is hidden, and the network is off except localhost, where commands reach each other.") +
  (isUnattended
    ? ""
    : " A command that needs more asks the user for it with hosts, writable or sandbox: false.");

const gitBash =
  "Shell: commands run in Git Bash, not in PowerShell or cmd; /c/Users is C:\\Users, and file tools take Windows paths.";

const unconfined = "Sandbox: none; approved commands have all of the user's permissions.";

const unattended =
  "Nobody can answer questions or approve calls in this run. Do what needs no approval, decide what is unclear, and " +
  "report what is left.";

/** null: not a repository, no commit yet, or a configuration that could run programs. */
export async function readGitState(git: Git): Promise<GitState | null> {
  // Before the first commit, only the second knows the branch.
  const branch =
    (await git(["rev-parse", "--abbrev-ref", "HEAD"])) ??
    (await git(["symbolic-ref", "--short", "HEAD"]));
  if (branch === null) return null;
  const status = await git(["status", "--porcelain", "--ignore-submodules=all"]);
  const changedFiles = status === null ? null : status === "" ? 0 : status.split("\n").length;
  return { branch, changedFiles };
}

const shownCommits = 5;
const subjectChars = 100;

async function gitLines(git: Git): Promise<string[]> {
  const state = await readGitState(git);
  if (state === null) return ["Git: not a repository"];
  const main = await mainBranch(git);
  const commits = (await git(["log", `-${shownCommits}`, "--format=%h %s"])) ?? "";
  const isElsewhere = main !== null && main !== state.branch;
  return [
    `Git: branch ${state.branch}${isElsewhere ? ` (main branch: ${main})` : ""}, ${describeChanges(state.changedFiles)}`,
    ...(commits === "" ? [] : ["Last commits:"]),
    ...commits
      .split("\n")
      .filter(Boolean)
      .map((line) => `  ${clipLine(line, subjectChars)}`),
  ];
}

/** The branch that the remote has checked out, else one with a usual name; null: there is none. */
async function mainBranch(git: Git): Promise<string | null> {
  const remote = await git(["symbolic-ref", "--short", "refs/remotes/origin/HEAD"]);
  if (remote) return remote.replace(/^origin\//, "");
  const usual = await git(["branch", "--list", "--format=%(refname:short)", "main", "master"]);
  return usual?.split("\n")[0] || null;
}

function describeChanges(files: number | null): string {
  if (files === null) return "changes unknown";
  if (files === 0) return "no changes";
  return `${counted(files, "file")} changed`;
}
