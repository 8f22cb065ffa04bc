/** Starts subagents: each is a run of its own, in a session that names the one that started it. */

import { builtInSubagents } from "../agent/subagents/built-in.ts";
import subagentPrompt from "../agent/prompts/subagent.md" with { type: "text" };
import { runSubagent, type SubagentReport } from "../agent/subagents/run-subagent.ts";
import type { HookOutput } from "../hooks/output.ts";
import type { HookRegistry } from "../hooks/registry.ts";
import { createLog } from "../log/store.ts";
import type { SubagentDefinition } from "../project/subagents.ts";
import type { Answer } from "../protocol/command.ts";
import type { SessionFact } from "../protocol/entry.ts";
import type { Ask } from "../protocol/event.ts";
import { noUsage } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type {
  StartedSubagent,
  SubagentChoice,
  SubagentTask,
} from "../tools/subagent/agent-tool.ts";
import type { ToolRun } from "../tools/tool.ts";
import type { Run, RunOptions } from "./run-types.ts";

type Parent = {
  options: RunOptions;
  definitions: readonly SubagentDefinition[];
  /** As they are when a subagent starts. */
  mode(): PermissionMode;
  model(): string;
  hooks(): HookRegistry;
  prepare(options: RunOptions): Promise<Run>;
};

/** The built-in ones, and those that replace them or come after. */
export function withBuiltIn(defined: readonly SubagentDefinition[]): SubagentDefinition[] {
  const all = [...builtInSubagents, ...defined].map((one) => [one.name, one] as const);
  return [...new Map(all).values()];
}

export class Subagents {
  readonly #parent: Parent;
  readonly #running = new Map<AbortController, Promise<unknown>>();
  /** Questions of subagents that work side by side are asked one after the other. */
  #asked: Promise<unknown> = Promise.resolve();

  constructor(parent: Parent) {
    this.#parent = parent;
  }

  get choices(): readonly SubagentChoice[] {
    return this.#parent.definitions;
  }

  async start(task: SubagentTask, run: ToolRun): Promise<StartedSubagent> {
    const { options, definitions, prepare, mode } = this.#parent;
    const definition = definitions.find(({ name }) => name === task.type);
    if (!definition) throw new Error(`There is no definition of ${task.type}.`);
    const log = createLog(options.paths.projectSessions);
    const startedBy = { session: options.log.session, toolUse: run.toolUse, type: task.type };
    const child = await prepare({ ...this.#optionsFor(definition, task, startedBy), log }).catch(
      async (error: unknown) => {
        await log.close();
        throw error;
      },
    );
    // A mode that the user changes meanwhile holds for its next call, too.
    const follow = async (): Promise<HookOutput> => {
      if (!definition.readsOnly) child.toolbox.mode = mode();
      return {};
    };
    child.hooks.register("PreToolUse", undefined, follow, { source: "built-in", name: "mode" });
    const stop = new AbortController();
    const { send } = options;
    let isDetached = false;
    run.signal.addEventListener("abort", () => isDetached || stop.abort());
    if (run.signal.aborted) stop.abort();
    const steps: string[] = [];
    const work = runSubagent(child.agent, task.prompt, {
      prices: child.rules.prices,
      signal: stop.signal,
      entry: (entry) => options.onSubagentEntry?.(run.toolUse, entry),
      ask: (ask) => (isDetached ? denied : this.#ask(ask, task, run)),
      step(line) {
        steps.push(line);
        if (!isDetached) run.progress(steps.slice(-20).join("\n"), steps.length);
      },
    })
      .finally(() => child.close())
      .catch(failed);
    void work.then(({ text }) =>
      this.#ended({ agent_id: log.session, agent_type: task.type }, text),
    );
    this.#running.set(stop, work);
    const report = work
      .finally(() => this.#running.delete(stop))
      .then((done) =>
        resultOf(done, { session: log.session, type: task.type, model: child.modelName }),
      );
    return {
      session: log.session,
      report,
      detach:
        send === undefined
          ? null
          : () => {
              isDetached = true;
              void report.then(({ content, subagent }) => {
                const text = content.flatMap((one) => (one.type === "text" ? [one.text] : []));
                send({
                  type: "news",
                  title: `report of ${task.type}`,
                  text: text.join("\n"),
                  subagent,
                });
              });
            },
    };
  }

  /** Stops all of them, and waits until their logs are complete. */
  async close(): Promise<void> {
    for (const stop of this.#running.keys()) stop.abort();
    await Promise.allSettled(this.#running.values());
  }

  #ask(ask: Ask, { type }: SubagentTask, run: ToolRun): Promise<Answer> {
    const id = `${run.toolUse}:${ask.id}`;
    const next = this.#asked.then(() => run.ask({ ...ask, id, title: `${type}: ${ask.title}` }));
    this.#asked = next.catch(() => undefined);
    return next;
  }

  async #ended(agent: { agent_id: string; agent_type: string }, text: string): Promise<void> {
    const ending = { ...agent, stop_hook_active: false, last_assistant_message: text };
    const run = { signal: AbortSignal.timeout(hookMs), emit: () => undefined };
    await this.#parent.hooks().run("SubagentStop", ending, run);
  }

  #optionsFor(
    definition: SubagentDefinition,
    task: SubagentTask,
    startedBy: NonNullable<SessionFact["startedBy"]>,
  ): Omit<RunOptions, "log"> {
    const { options, mode, model } = this.#parent;
    const { flags, settings } = options;
    const { jsonSchema: _form, ...headless } = flags.headless;
    const { send: _send, ...rest } = options;
    const { tools } = definition;
    const wanted = tools?.map((name) => name.replace(/\(.*$/s, "")) ?? null;
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
        headless,
        tools: { ...flags.tools, ...(only ? { only } : {}) },
        prompts: { ...flags.prompts, append: append.filter((text) => text !== "").join("\n\n") },
      },
    };
  }
}

/** Longest time that SubagentStop hooks may take, in milliseconds. */
const hookMs = 60_000;

const denied: Promise<Answer> = Promise.resolve({
  allow: false,
  reason: "You work in the background: nobody can be asked. Do without, and report it.",
});

/** Its log could not be written, for example: the agent that started it continues. */
function failed(error: unknown): SubagentReport {
  const failure = error instanceof Error ? error.message : String(error);
  return { text: "", failure, calls: 0, usage: noUsage, usd: 0 };
}

function resultOf(
  { text, failure, ...spent }: SubagentReport,
  started: { session: string; type: string; model: string },
): Awaited<StartedSubagent["report"]> {
  const words =
    failure === null ? text : `${failure}${text === "" ? "" : ` Its last message: ${text}`}`;
  return {
    content: [{ type: "text", text: words || "It ended without an answer." }],
    ...(failure === null ? {} : { isError: true }),
    subagent: { ...started, ...spent },
  };
}
