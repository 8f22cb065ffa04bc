/** Assembles the tools of a run: definitions, reviews and runs of calls. */

import { dirname, resolve } from "node:path";
import type { EntryId, FileStamp } from "../protocol/entry.ts";
import { agentTool } from "./agent-tool.ts";
import { askUserTool } from "./ask-user.ts";
import { compactTool } from "./compact.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";
import { editFileTool } from "./files/edit.ts";
import { type FileChange, SeenFiles } from "./files/file-access.ts";
import { readFileTool } from "./files/read-file.ts";
import { writeFileTool } from "./files/write.ts";
import { gitFolders } from "../trust/git/git-folders.ts";
import { hiddenFiles } from "../trust/files/sensitive.ts";
import { noRules, withProjectRules } from "../trust/rules/project-rules.ts";
import { parseRule } from "../trust/rules/rule.ts";
import { Rules, type RuleTexts, type SessionRule } from "../trust/rules/rules.ts";
import type { Sandbox } from "../trust/sandbox/sandbox.ts";
import type { SessionPlace } from "../trust/sandbox/session-place.ts";
import { globTool } from "./search/glob.ts";
import { grepTool } from "./search/grep.ts";
import { findRipgrep } from "./search/ripgrep.ts";
import { bashInputTool, bashOutputTool, killShellTool } from "./shell/background-tools.ts";
import { BackgroundShells } from "./shell/background.ts";
import { bashTool } from "./shell/bash.ts";
import { launcherWith } from "./shell/launch.ts";
import { todoWriteTool } from "./todo-write.ts";
import { defineTool } from "./accept.ts";
import { findCell } from "./script/cell.ts";
import { scriptTool } from "./script/script.ts";
import { isScriptable } from "./script/signatures.ts";
import { type Memory, recallTool } from "./recall.ts";
import { skillTool } from "./skill.ts";
import { structuredOutputTool } from "./structured-output.ts";
import { ToolRunner, type ToolRunnerOptions } from "./tool-runner.ts";
import type { Tool } from "./tool.ts";
import { effectFiles } from "./shell/effect-files.ts";
import { openSnapshots, type Snapshots } from "../snapshots/snapshots.ts";
import { namesProxy, publicAddresses, systemLookup } from "./web/address.ts";
import { webFetchTool, type Network } from "./web/web-fetch.ts";
import { webSearchTool, type WebSearcher } from "./web/web-search.ts";
import { followLinks, holds, openWorkspace, type Workspace } from "./workspace.ts";

export type ToolboxOptions = ToolRunnerOptions & {
  workspace: string;
  addedFolders: readonly string[];
  /** The whole environment of commands; no keys in it. */
  childEnv: Record<string, string>;
  bashTimeoutMs?: number;
  /** The addresses to connect to for a host; by default those of the system, if they are public. */
  resolve?(host: string): Promise<readonly string[]>;
  /** "off": commands are not confined, even where the machine could. */
  sandbox?: "auto" | "off";
  /** Variables that confined commands keep although they may be secret. */
  keepVariables?: readonly string[];
  /** Permission rules of the settings. */
  rules?: RuleTexts;
  /** The repository that the workspace lies in, whose rules that ask and deny hold. */
  projectRoot?: string | undefined;
  /** The only tools that are offered; absent: all. */
  only?: readonly string[] | undefined;
  /** Script is offered, where this machine can confine it. */
  scripts?: boolean;
  /** Time of a script beside its calls. */
  scriptMs?: number | undefined;
  /** Tools of other rooms. */
  extra?: readonly Tool<unknown>[];
  session?: SessionTools | undefined;
  /** How pages of the web are reached; by default as the machine does. */
  network?: Network;
  /** Result files of the resumed session; those of others need approval. */
  ownResults?: Iterable<string>;
  /** State that a session and its subagents share. */
  shared?: SharedByAgents | undefined;
  /** File stamps of the resumed session, oldest first. */
  known?: Iterable<FileStamp>;
  /** The user's home folder and our own; by default from `childEnv` and `resultsDir`. */
  home?: string;
  ownFolder?: string;
  /** How often output is polled, and how long a process may take to end. */
  progressMs?: number;
  graceMs?: number;
  maxOutputBytes?: number;
};

/** Sources of the tools that a session has beyond those of its folder. */
type SessionTools = {
  memory: Memory;
  /** The message being answered, which always contains the words of a search in memory. */
  asking(): EntryId | null;
  loadSkill: Parameters<typeof skillTool>[0];
  /** Null: the model's server cannot search the web. */
  search?: WebSearcher | null | undefined;
  /** The answer is to be an object of this JSON schema. */
  answerSchema?: Record<string, unknown> | undefined;
};

/** Grows while they work. */
export type SharedByAgents = {
  /** The user's rules for the session. */
  granted: SessionRule[];
  /** Variables of commands that a hook set. */
  variables: Record<string, string>;
  /** Cost of their model calls, in US dollars. */
  spending: { usd: number };
  /** Snapshots around their commands, by the opened folders. */
  snapshots: Map<string, Snapshots>;
  /** The agents' /tmp, processes and localhost in the sandbox; null until a command needs them. */
  place: SessionPlace | null;
};

export const nothingShared = (): SharedByAgents => ({
  granted: [],
  place: null,
  snapshots: new Map(),
  variables: {},
  spending: { usd: 0 },
});

/** Throws when the workspace or an added folder does not exist. */
export async function createToolbox(options: ToolboxOptions): Promise<ToolRunner> {
  const { resultsDir, childEnv, policy, clock, shared = nothingShared() } = options;
  const home = options.home ?? childEnv["HOME"] ?? "/";
  const workspace = await openWorkspace({
    workspace: options.workspace,
    added: options.addedFolders,
    results: resultsDir,
    home,
    ownResults: options.ownResults,
    async temporary() {
      return (await (await sandbox())?.temporaryFolder()) ?? null;
    },
  });
  const ours = await followLinks(resolve(options.ownFolder ?? dirname(resultsDir)));
  // If the workspace is inside our own folder, only the results are protected as ours.
  const own = holds(ours, workspace.root) ? workspace.results : ours;
  const roots = [workspace.root, ...workspace.added];
  const scripts = new Map<string, string>();
  const folders = { home: workspace.home, own, results: workspace.results, roots, scripts };
  const seenFiles = new SeenFiles(options.known);
  const watchers: ((change: FileChange) => void)[] = [];
  const onChange = (change: FileChange): void => watchers.forEach((watch) => watch(change));
  const files = { workspace, seenFiles, onChange };
  const shells = new BackgroundShells();
  const bases = { workspace: workspace.root, home: workspace.home };
  const { granted } = shared;
  const rules = new Rules(
    await withProjectRules(options.rules ?? noRules, bases, options.projectRoot),
    bases,
    granted,
  );
  const hiddenFilter = hiddenFiles(folders, workspace, rules);
  let opened: Promise<Sandbox | null> | null =
    options.sandbox === "off" ? Promise.resolve(null) : null;
  const sandbox = (): Promise<Sandbox | null> =>
    (opened ??= import("../trust/sandbox/sandbox.ts").then(({ openSandbox }) =>
      openSandbox(workspace, { hiddenFilter, folders }, shared),
    ));
  const usesProxy = namesProxy(childEnv);
  const launcher = launcherWith({
    workspace,
    env: { ...quietEnv, ...childEnv },
    variables: shared.variables,
    keepVariables: options.keepVariables ?? [],
    sandbox,
    restrictsReading: () => rules.refusedPaths("Read") !== null,
    connections: {
      word: (host) => rules.forConnection(host),
      isAnyAllowed: () => rules.allowsConnections && !usesProxy,
      resolve: options.resolve ?? ((host) => publicAddresses(host, systemLookup)),
    },
  });
  const bash = bashTool({
    workspace,
    shells,
    policy,
    timeoutMs: options.bashTimeoutMs ?? 120_000,
    now: () => clock.now(),
    launcher,
    settings: {
      resultsDir,
      progressMs: options.progressMs ?? 100,
      graceMs: options.graceMs ?? 2_000,
      maxOutputBytes: options.maxOutputBytes ?? 2 * 1024 ** 3,
    },
  });
  // A linked worktree has its settings and hooks elsewhere.
  const git = (await Promise.all(roots.map(gitFolders))).flatMap((found) => found?.common ?? []);
  const elsewhere = git.filter((folder) => !roots.some((root) => holds(root, folder)));
  const place = JSON.stringify(roots);
  const others = shared.snapshots.get(place);
  const snapshots =
    others ??
    openSnapshots({
      own: ours,
      roots: [...roots, ...new Set(elsewhere)],
      repository: async () =>
        (await gitFolders(options.projectRoot ?? workspace.root))?.common ?? null,
      mayStillRun: async () => (await opened)?.hasProcesses() || (await shells.isAnyAlive()),
      opened: () =>
        void import("./prune.ts").then(({ pruneOwn }) =>
          pruneOwn(ours, Date.now()).catch(() => {}),
        ),
    });
  shared.snapshots.set(place, snapshots);
  const search = { workspace, hiddenFilter, ripgrep: findRipgrep() };
  const tools: Tool<unknown>[] = [
    bash.tool,
    // Without Bash nothing runs in the background.
    ...(isOffered("Bash", options)
      ? [bashInputTool(shells), bashOutputTool(shells), killShellTool(shells)]
      : []),
    readFileTool(files, Math.floor(policy.persistBytes * 0.9)),
    writeFileTool(files),
    editFileTool(files),
    globTool(search),
    grepTool(search),
    todoWriteTool,
    webFetchTool(options.network),
    ...(options.session ? sessionTools(options.session, { clock, workspace }) : []),
    ...(options.extra ?? []),
  ];
  const cell = options.scripts ? findCell() : null;
  if (cell !== null) {
    const scriptable = tools.filter(({ name }) => isScriptable(name) && isOffered(name, options));
    tools.push(
      scriptTool(cell, () => scriptable.map((tool) => defineTool(tool)), options.scriptMs),
    );
  }
  return new ToolRunner(options, tools, {
    isOffered: (name) => isOffered(name, options),
    watchFiles: (watcher) => void watchers.push(watcher),
    rules,
    workspace,
    folders,
    cwd: bash.cwd,
    launcher,
    usesProxy,
    sandbox,
    background: shells,
    snapshots,
    effects: effectFiles({ folders, show: workspace.show, snapshots }),
    async close() {
      await shells.close();
      if (!others) await snapshots.close();
      await opened;
      if (options.shared === undefined) await shared.place?.close();
    },
  });
}

const sessionTools = (
  { memory, asking, loadSkill, search, answerSchema }: SessionTools,
  { clock, workspace }: { clock: { now(): number }; workspace: Workspace },
): Tool<unknown>[] => [
  ...(search ? [webSearchTool(search)] : []),
  compactTool,
  skillTool(loadSkill),
  ...(answerSchema ? [structuredOutputTool(answerSchema)] : []),
  recallTool({ memory, asking, now: () => clock.now(), show: workspace.show }),
];

/** Adds the tools that need a user to answer. */
export function addAttendedTools(toolbox: ToolRunner): void {
  toolbox.add(askUserTool);
  toolbox.add(exitPlanModeTool(toolbox));
}

export const addSubagents = (toolbox: ToolRunner, ...subagents: Parameters<typeof agentTool>) =>
  toolbox.add(agentTool(...subagents));

/** A tool that a rule denies altogether is not offered. */
const isOffered = (name: string, { only, rules = noRules }: ToolboxOptions): boolean =>
  (only === undefined || only.includes(name) || name === "StructuredOutput") &&
  !rules.deny.map(parseRule).some((rule) => rule?.tool === name && rule.about === null);

/** Keeps programs from starting a pager or prompting. */
const quietEnv = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  TERM: "dumb",
};
