/** The tools of a session, with its settings, rules and folders. */

import type { Paths } from "../config/paths.ts";
import { childEnv } from "../config/credentials.ts";
import { saveAllowRule, type Settings } from "../config/settings.ts";
import { Checkpoints } from "../log/checkpoints.ts";
import { rememberTool } from "../extensions/instructions/remember.ts";
import { approvedRules } from "../trust/project/asks.ts";
import type { Project } from "../trust/project/project.ts";
import type { Hub } from "../extensions/mcp/hub.ts";
import { systemClock } from "../base/clock.ts";
import type { Entry } from "../protocol/entry.ts";
import { isOutcome } from "../protocol/outcome.ts";
import type { Environment } from "../base/environment.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import {
  addAttendedTools,
  createToolbox,
  type SharedByAgents,
  type ToolboxOptions,
} from "../tools/toolbox.ts";

type SessionTools = NonNullable<ToolboxOptions["session"]>;

type ToolboxSources = Omit<SessionTools, "asking"> & {
  settings: Settings;
  paths: Paths;
  cwd: string;
  /** The environment of commands, without keys. */
  env: Record<string, string>;
  checkpoints: Checkpoints;
  /** The only tools that are offered; absent: all. */
  only?: readonly string[] | undefined;
  /** Null: no MCP servers are configured. */
  mcp?: Hub | null;
  /** The model writes programs that call tools. */
  scripts: boolean;
  /** The session's path. */
  path(): readonly Entry[];
  shared?: SharedByAgents;
  /** The opened folder, whose approved rules hold. */
  project?: Project;
};

/** The tools of a session. Throws when the workspace or an added folder does not exist. */
export async function openToolbox(sources: ToolboxSources): Promise<ToolRunner> {
  const { settings, paths, cwd, env, checkpoints, memory, loadSkill, path, only } = sources;
  const { answerSchema, mcp, search, shared, project } = sources;
  const { permissions } = settings;
  const outcomes = path().filter(isOutcome);
  return createToolbox({
    workspace: cwd,
    addedFolders: settings.addDirs,
    resultsDir: paths.toolResults,
    policy: settings,
    mode: settings.permissionMode,
    childEnv: env,
    clock: systemClock,
    checkpoint: checkpoints,
    bashTimeoutMs: settings.bashTimeoutMs,
    keepVariables: settings.keepVariables,
    rules: project
      ? { ...permissions, allow: [...permissions.allow, ...(await approvedRules(project))] }
      : permissions,
    scripts: sources.scripts,
    projectRoot: project?.root,
    shared,
    savedRules: { file: paths.settings, add: (rule) => saveAllowRule(paths.settings, rule) },
    only: only && [...only, "ToolSearch"],
    findTool: (name) => mcp?.findTool(name),
    extra: mcp ? [mcp.searchTool] : [],
    session: {
      memory,
      loadSkill,
      search,
      answerSchema,
      asking: () => path().findLast(({ type }) => type === "user")?.id ?? null,
    },
    ownResults: outcomes.flatMap(({ file }) => file ?? []),
    known: outcomes.flatMap(({ stamps }) => stamps ?? []),
    ownFolder: paths.root,
  });
}

/** Adds tools that need an attended session. `memory`: note files; null: not read. */
export function attend(toolbox: ToolRunner, memory: Paths["memory"] | null): void {
  addAttendedTools(toolbox);
  if (memory) toolbox.add(rememberTool(memory));
}

/** The tools that a new session would begin with. Throws like `openToolbox`. */
export async function offeredTools(
  { paths, env, cwd }: { paths: Paths; env: Environment; cwd: string },
  settings: Settings,
): Promise<ToolDefinition[]> {
  const toolbox = await openToolbox({
    settings: { ...settings, addDirs: [] },
    paths,
    cwd,
    env: childEnv(env),
    checkpoints: new Checkpoints(paths.checkpoints),
    memory: {
      search: async () => [],
      searchProject: async () => [],
      open: async () => null,
      findCall: () => null,
    },
    loadSkill: async () => null,
    scripts: false,
    path: () => [],
  });
  attend(toolbox, paths.memory);
  const { definitions } = toolbox;
  await toolbox.close();
  return definitions;
}
