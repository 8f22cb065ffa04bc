import subagentPrompt from "../agent/prompts/subagent.md" with { type: "text" };
import { builtInSubagents } from "../agent/subagents/built-in.ts";
import type { OpenedSubagent } from "../agent/subagents/subagents.ts";
import { createLog } from "../log/store.ts";
import type { SessionFact } from "../protocol/entry.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { SubagentDefinition } from "../protocol/subagent-definition.ts";
import type { SubagentTask } from "../tools/subagent/agent-tool.ts";
import type { Run, RunOptions } from "./run-types.ts";

/** The built-in ones, and those that replace them or come after. */
export function withBuiltIn(defined: readonly SubagentDefinition[]): SubagentDefinition[] {
  const all = [...builtInSubagents, ...defined].map((one) => [one.name, one] as const);
  return [...new Map(all).values()];
}

type Parent = {
  options: RunOptions;
  definitions: readonly SubagentDefinition[];
  /** As they are when a subagent starts. */
  mode(): PermissionMode;
  model(): string;
  prepare(options: RunOptions): Promise<Run>;
};

/** A run of its own for a task, in a session that names the one that started it. */
export async function openSubagent(
  parent: Parent,
  task: SubagentTask,
  toolUse: string,
): Promise<OpenedSubagent> {
  const { options, definitions, prepare, mode } = parent;
  const definition = definitions.find(({ name }) => name === task.type);
  if (!definition) throw new Error(`There is no subagent ${task.type}.`);
  const log = createLog(options.paths.projectSessions);
  const startedBy = { session: options.log.session, toolUse, type: task.type };
  try {
    const child = await prepare({ ...optionsFor(parent, definition, task, startedBy), log });
    const { agent, modelName, rules, close } = child;
    child.hooks.register(
      "PreToolUse",
      undefined,
      async () => {
        // A mode that the user changes meanwhile holds for its next call, too.
        if (!definition.readsOnly) child.toolbox.mode = mode();
        return {};
      },
      { source: "built-in", name: "mode" },
    );
    return { session: log.session, agent, model: modelName, prices: rules.prices, close };
  } catch (error) {
    await log.close();
    throw error;
  }
}

function optionsFor(
  { options, mode, model }: Parent,
  definition: SubagentDefinition,
  task: SubagentTask,
  startedBy: NonNullable<SessionFact["startedBy"]>,
): Omit<RunOptions, "log"> {
  const { flags, settings } = options;
  const { send: _send, ...rest } = options;
  const wanted = definition.tools?.map((name) => name.replace(/\(.*$/s, "")) ?? null;
  const only = wanted && (flags.tools.only?.filter((name) => wanted.includes(name)) ?? wanted);
  const append = [flags.prompts.append ?? "", subagentPrompt.trim(), definition.prompt];
  return {
    ...rest,
    startedBy,
    requestedModel: task.model ?? definition.model ?? model(),
    settings: {
      ...settings,
      permissionMode: definition.readsOnly ? "plan" : mode(),
      // Subagents have none of their own.
      permissions: { ...settings.permissions, deny: [...settings.permissions.deny, "Agent"] },
    },
    flags: {
      ...flags,
      // The form is that of the session's answer.
      headless: { ...flags.headless, jsonSchema: undefined },
      tools: { ...flags.tools, only: only ?? flags.tools.only },
      prompts: { ...flags.prompts, append: append.filter((text) => text !== "").join("\n\n") },
    },
  };
}
