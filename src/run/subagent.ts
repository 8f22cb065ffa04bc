import subagentPrompt from "../agent/prompts/subagent.md" with { type: "text" };
import type { Agent } from "../agent/agent.ts";
import type { OpenedSubagent } from "../agent/subagents.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import { createLog } from "../log/store.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { SubagentDefinition } from "../protocol/subagent-definition.ts";
import type { SubagentTask } from "../tools/agent-tool.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import type { RunModel } from "./model.ts";
import type { ParentRun, RunOptions } from "./run-options.ts";

type SubagentParts = {
  options: RunOptions;
  shares: Omit<ParentRun, "startedBy">;
  definitions: readonly SubagentDefinition[];
  /** A subagent starts with the current mode and model. */
  toolbox: Pick<ToolRunner, "mode">;
  model: Pick<RunModel, "current">;
  prepare(options: RunOptions): Promise<ChildRun>;
};

/** The parts of a run that a subagent needs. */
export type ChildRun = {
  agent: Agent;
  modelName: string;
  rules: ModelRules;
  hooks: HookRegistry;
  toolbox: ToolRunner;
  close(): Promise<void>;
};

/** Opens runs of their own for tasks, in sessions that name the one that started them. */
export const openSubagentFor =
  (host: SubagentParts) =>
  async (task: SubagentTask, toolUse: string): Promise<OpenedSubagent> => {
    const { options, definitions, prepare, toolbox } = host;
    const definition = definitions.find(({ name }) => name === task.type);
    if (!definition) throw new Error(`There is no subagent ${task.type}.`);
    const log = createLog(options.paths.projectSessions);
    const startedBy = { session: options.log.session, toolUse, type: task.type };
    const child = await prepare({ ...optionsFor(host, definition, task, startedBy), log });
    const { agent, modelName, rules, close } = child;
    child.hooks.register(
      "PreToolUse",
      undefined,
      async () => {
        // A mode that the user changes during its work holds for its next call, too.
        if (!definition.readsOnly) child.toolbox.mode = toolbox.mode;
        return {};
      },
      { source: "built-in", name: "mode" },
    );
    return { session: log.session, agent, model: modelName, prices: rules.prices, close };
  };

function optionsFor(
  { options, shares, toolbox, model }: SubagentParts,
  definition: SubagentDefinition,
  task: SubagentTask,
  startedBy: ParentRun["startedBy"],
): Omit<RunOptions, "log"> {
  const { flags, settings } = options;
  const { send: _send, ...rest } = options;
  const wanted = definition.tools?.map((name) => name.replace(/\(.*$/s, "")) ?? null;
  const only = wanted && (flags.tools.only?.filter((name) => wanted.includes(name)) ?? wanted);
  const append = [flags.prompts.append ?? "", subagentPrompt.trim(), definition.prompt];
  return {
    ...rest,
    parent: { ...shares, startedBy },
    requestedModel: task.model ?? definition.model ?? model.current(),
    settings: {
      ...settings,
      permissionMode: definition.readsOnly ? "plan" : toolbox.mode,
      // Subagents have none of their own.
      permissions: { ...settings.permissions, deny: [...settings.permissions.deny, "Agent"] },
    },
    flags: {
      ...flags,
      // The form is required of the session's answer only.
      headless: { ...flags.headless, jsonSchema: undefined },
      tools: { ...flags.tools, only: only ?? flags.tools.only },
      prompts: { ...flags.prompts, append: append.filter((text) => text !== "").join("\n\n") },
    },
  };
}
