/** The facts that a session begins or resumes with: prompt, tools, environment, instructions. */

import { isDeepStrictEqual } from "node:util";
import { clipLine } from "../base/clip.ts";
import { counted } from "../base/format.ts";
import { toolLines } from "../base/tool-lines.ts";
import type { SessionLog } from "../log/log.ts";
import { blockText } from "../protocol/block.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { ContextFact, Entry, Fact, SessionFact } from "../protocol/entry.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import { modeMeanings, type PermissionMode } from "../protocol/permission.ts";
import systemPrompt from "./prompts/system.md" with { type: "text" };

type OpeningOptions = Surroundings & {
  /** The log so far; empty for a new session. */
  path: readonly Entry[];
  session: string;
  /** Format of the log. */
  version: number;
  model: string;
  tools: ToolDefinition[];
  /** The system prompt of a new session. */
  system: string;
  /** The parent, for a subagent. */
  startedBy?: SessionFact["startedBy"] | undefined;
  /** Flags that replace the resumed session's own prompt or tools. */
  replaces?: { system?: boolean; tools?: boolean };
  /** Instructions of the user and of the project. */
  instructions: readonly ContextFact[];
  /** The folder of the resumed session no longer exists; it continues in this one. */
  hasMoved?: boolean;
  /** Changes on disk since the model last looked. */
  changes: readonly ContextFact[];
};

/** The built-in system prompt or its replacement, and what is appended. `tools`: names of those of the run. */
export function promptFrom(
  { system, append }: { system?: string | undefined; append?: string | undefined },
  tools: readonly string[],
): string {
  const parts = [system ?? toolLines(systemPrompt.trim(), new Set(tools)).join("\n"), append ?? ""];
  return parts.filter((text) => text !== "").join("\n\n");
}

/**
 * The facts that a session begins with. System prompt and tools are fixed by the first entry; a
 * resumed session gets only facts that its log lacks, and the model if it has changed. A session of an
 * older format gets the current prompt and tools.
 */
export async function openingFacts(options: OpeningOptions): Promise<Fact[]> {
  const { path, session, version, cwd, model, system, tools, instructions, changes } = options;
  const environment = await describeEnvironment(options);
  const current = path.findLast((entry) => entry.type === "session");
  if (!current) {
    const { startedBy } = options;
    const start = startedBy ? { startedBy } : {};
    const first: Fact = { type: "session", version, session, cwd, model, system, tools, ...start };
    return [first, environment, ...instructions];
  }
  const said = new Set(
    path.flatMap((entry) => (entry.type === "context" ? [JSON.stringify(entry.content)] : [])),
  );
  const news = [environment, ...instructions, ...changes].filter(
    ({ content }) => !said.has(JSON.stringify(content)),
  );
  const facts: Fact[] = currentModel(path) === model ? news : [{ type: "model", model }, ...news];
  // The tools of an older format had other names than the calls that were converted on reading.
  const isCurrent = current.version >= version;
  const { replaces = {}, hasMoved = false } = options;
  if (isCurrent && !hasMoved && !isReplaced(current, options)) return facts;
  const { id: _id, parent: _parent, at: _at, ...older } = current;
  const renewed = {
    ...older,
    version,
    ...(hasMoved && { cwd }),
    model: currentModel(path) ?? model,
    system: isCurrent && !replaces.system ? current.system : system,
    tools: isCurrent && !replaces.tools ? current.tools : tools,
  };
  return [renewed, ...facts];
}

/** Whether the system prompt or tools of a resumed session change, which invalidates its cached prompt. */
function isReplaced(
  current: Pick<OpeningOptions, "system" | "tools">,
  { system, tools, replaces = {} }: OpeningOptions,
): boolean {
  if (replaces.system && system !== current.system) return true;
  return (replaces.tools ?? false) && !isDeepStrictEqual(ownTools(current.tools), ownTools(tools));
}

/** Without MCP tools, which are added when found. */
const ownTools = (tools: readonly ToolDefinition[]): ToolDefinition[] =>
  tools.filter(({ name }) => !name.startsWith("mcp__"));

/** The model of a resumed session; undefined if it only used the offline model. */
export function resumedModel(log: Pick<SessionLog, "path">): string | undefined {
  const model = currentModel(log.path);
  return model === "offline" ? undefined : model;
}

const currentModel = (path: readonly Entry[]): string | undefined =>
  pickModel(path.findLast(({ type }) => type === "model" || type === "session"));

const pickModel = (entry: Entry | undefined): string | undefined =>
  entry?.type === "model" || entry?.type === "session" ? entry.model : undefined;

type Surroundings = {
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
  /** Default: the platform of this process. */
  platform?: NodeJS.Platform;
};

/** The output of a git command; null when it has no answer. */
export type Git = (args: readonly string[]) => Promise<string | null>;

/** `changedFiles` is null if git does not say. */
export type GitState = { branch: string; changedFiles: number | null };

/** The machine and the project, for the model. Later changes are appended as news. */
async function describeEnvironment({
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
  const shown = branch === "HEAD" ? "none (detached HEAD)" : branch;
  const status = await git(["status", "--porcelain", "--ignore-submodules=all"]);
  const changedFiles = status === null ? null : status === "" ? 0 : status.split("\n").length;
  return { branch: shown, changedFiles };
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
