/** The tools of a session, with its settings, rules and folders. */

import { relative } from "node:path";
import type { Paths } from "../config/paths.ts";
import { childEnv } from "../config/credentials.ts";
import { saveAllowRule } from "../config/edit-settings.ts";
import type { Settings } from "../config/settings.ts";
import { Checkpoints } from "../log/checkpoints.ts";
import { planNote } from "../extensions/instructions/memory.ts";
import { approvedRules } from "../trust/project/asks.ts";
import type { Project } from "../trust/project/project.ts";
import type { Hub } from "../extensions/mcp/hub.ts";
import { systemClock } from "../base/clock.ts";
import type { Entry, EntryOf } from "../protocol/entry.ts";
import { isOutcome } from "../protocol/outcome.ts";
import type { Environment } from "../base/environment.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import { askUserTool } from "../tools/ask-user.ts";
import { exitPlanModeTool } from "../tools/exit-plan-mode.ts";
import { compactTool } from "../tools/compact.ts";
import { type Memory, recallTool } from "../tools/recall.ts";
import { rememberTool } from "../tools/remember.ts";
import { skillTool } from "../tools/skill.ts";
import { structuredOutputTool } from "../tools/structured-output.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import { webSearchTool, type WebSearcher } from "../tools/web/web-search.ts";
import { createToolbox, type SharedByAgents } from "../tools/toolbox.ts";

type ToolboxSources = {
  settings: Settings;
  paths: Paths;
  cwd: string;
  /** The environment of commands, without keys. */
  env: Record<string, string>;
  checkpoints: Checkpoints;
  memory: Memory;
  loadSkill: Parameters<typeof skillTool>[0];
  /** The only tools that are offered; absent: all. */
  only?: readonly string[] | undefined;
  /** The answer is to be an object of this JSON schema. */
  answerSchema?: Record<string, unknown> | undefined;
  /** Null: no MCP servers are configured. */
  mcp?: Hub | null;
  /** The model writes programs that call tools. */
  scripts?: boolean;
  /** The session's path, now and later. */
  path(): readonly Entry[];
  /** Null: the model's server cannot search the web. */
  search?: WebSearcher | null;
  shared?: SharedByAgents;
  /** The opened folder, whose approved rules hold. */
  project?: Project;
};

/** The tools of a session. Throws when the workspace or an added folder does not exist. */
export async function openToolbox(sources: ToolboxSources): Promise<ToolRunner> {
  const { settings, paths, cwd, env, checkpoints, memory, loadSkill, path, only } = sources;
  const { answerSchema, mcp, search, shared, project } = sources;
  const { permissions } = settings;
  return createToolbox({
    workspace: cwd,
    addedFolders: settings.addDirs,
    resultsDir: paths.toolResults,
    policy: settings.policy,
    mode: settings.permissionMode,
    childEnv: env,
    clock: systemClock,
    checkpoint: checkpoints,
    bashTimeoutMs: settings.bashTimeoutMs,
    keepVariables: settings.keepVariables,
    rules: project
      ? { ...permissions, allow: [...permissions.allow, ...(await approvedRules(project))] }
      : permissions,
    scripts: sources.scripts ?? false,
    projectRoot: project?.root,
    shared,
    savedRules: { file: paths.settings, add: (rule) => saveAllowRule(paths.settings, rule) },
    only: only && [...only, "ToolSearch"],
    findTool: (name) => mcp?.findTool(name),
    extra: [
      ...(mcp ? [mcp.searchTool] : []),
      ...(search ? [webSearchTool(search)] : []),
      compactTool,
      skillTool(loadSkill),
      ...(answerSchema ? [structuredOutputTool(answerSchema)] : []),
      recallTool({
        memory,
        now: () => systemClock.now(),
        show: (file) => relative(cwd, file),
        asking: () => path().findLast(({ type }) => type === "user")?.id ?? null,
      }),
    ],
    ownResults: ofResults(path, ({ file }) => (file === undefined ? [] : [file])),
    known: ofResults(path, ({ stamps }) => stamps ?? []),
    ownFolder: paths.root,
  });
}

/** Adds tools that need an attended session. `memory`: note files; null: not read. */
export function addAttendedTools(toolbox: ToolRunner, memory: Paths["memory"] | null): void {
  toolbox.add(askUserTool);
  toolbox.add(exitPlanModeTool(toolbox));
  if (memory)
    toolbox.add(
      rememberTool((note, everywhere) =>
        planNote(everywhere ? memory.everywhere : memory.here, note),
      ),
    );
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
    path: () => [],
  });
  addAttendedTools(toolbox, paths.memory);
  const { definitions } = toolbox;
  await toolbox.close();
  return definitions;
}

/** A value of every result, for which a long log has to be read. */
function* ofResults<T>(
  path: () => readonly Entry[],
  of: (result: EntryOf<"result" | "step">) => readonly T[],
): Generator<T> {
  for (const entry of path()) if (isOutcome(entry)) yield* of(entry);
}
