/** Subagents at work, as the tasks of which Claude Code tells its clients. */

import { blockText, findSubject, type ToolInput } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { RunningSubagent } from "../../protocol/subagent-definition.ts";

type Task = RunningSubagent & {
  description: string;
  isInBackground: boolean;
  startMs: number;
  /** Tool calls. */
  calls: number;
  /** Of its last call of the model. */
  tokens: number;
  /** Its last words. */
  text: string;
};

type TasksOptions = {
  print(message: object): void;
  /** The log of a session. */
  logFile(session: string): string;
};

export class Tasks {
  readonly #options: TasksOptions;
  /** Inputs of the calls that start subagents. */
  readonly #calls = new Map<string, ToolInput>();
  readonly #tasks = new Map<string, Task>();

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** An entry of the session. */
  note(entry: Entry): void {
    if (entry.type !== "assistant") return;
    for (const block of entry.content)
      if (block.type === "tool_use" && block.name === "Agent")
        this.#calls.set(block.id, block.input);
  }

  /** Fields of every message of a subagent. */
  about({ toolUse, session, type }: RunningSubagent): object {
    const task_description = this.#tasks.get(toolUse)?.description;
    return {
      parent_tool_use_id: toolUse,
      agent_id: session,
      subagent_type: type,
      ...(task_description === undefined ? {} : { task_description }),
    };
  }

  /** Something happened in a subagent. */
  event(subagent: RunningSubagent, event: AgentEvent): void {
    const task = this.#tasks.get(subagent.toolUse) ?? this.#start(subagent);
    if (event.type === "idle") return this.#end(task, event.why);
    if (event.type !== "entry" || event.entry.type !== "assistant") return;
    const { content, usage } = event.entry;
    task.tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
    task.text = blockText(content).trim() || task.text;
    const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
    task.calls += calls.length;
    const last = calls.at(-1);
    if (!last) return;
    this.#print(task, "task_progress", {
      description: `${last.name} ${findSubject(last.input)?.text ?? ""}`.trim(),
      subagent_type: task.type,
      usage: usageOf(task),
      last_tool_name: last.name,
    });
  }

  /** Client-side result of a call that started a subagent; undefined for any other call. */
  result({ toolUse, content, subagent }: EntryOf<"result">): object | undefined {
    const task = this.#tasks.get(toolUse);
    if (!task) return undefined;
    const { session: agentId, prompt, description } = task;
    if (task.isInBackground) {
      const outputFile = this.#options.logFile(agentId);
      return { isAsync: true, status: "async_launched", agentId, description, prompt, outputFile };
    }
    return {
      status: "completed",
      prompt,
      agentId,
      agentType: task.type,
      content,
      totalDurationMs: Date.now() - task.startMs,
      totalTokens: task.tokens,
      totalToolUseCount: subagent?.calls ?? task.calls,
    };
  }

  #start(subagent: RunningSubagent): Task {
    const { toolUse, type, prompt } = subagent;
    const { description, run_in_background: background } = this.#calls.get(toolUse) ?? {};
    const task: Task = {
      ...subagent,
      description: typeof description === "string" ? description : type,
      isInBackground: background === true,
      startMs: Date.now(),
      calls: 0,
      tokens: 0,
      text: "",
    };
    this.#calls.delete(toolUse);
    this.#tasks.set(toolUse, task);
    if (task.isInBackground) this.#printBackground();
    this.#print(task, "task_started", {
      description: task.description,
      subagent_type: type,
      is_backgrounded: task.isInBackground,
      task_type: "local_agent",
      prompt,
    });
    return task;
  }

  #end(task: Task, why: Extract<AgentEvent, { type: "idle" }>["why"]): void {
    const status = why === "done" ? "completed" : why;
    const patch = { status: status === "stopped" ? "killed" : status, end_time: Date.now() };
    this.#print(task, "task_updated", { patch });
    this.#print(task, "task_notification", {
      status,
      output_file: this.#options.logFile(task.session),
      summary: task.text,
      usage: usageOf(task),
    });
    if (!task.isInBackground) return;
    this.#tasks.delete(task.toolUse);
    this.#printBackground();
  }

  #print({ session, toolUse }: Task, subtype: string, body: object): void {
    const ids = { task_id: session, tool_use_id: toolUse };
    this.#options.print({ type: "system", subtype, ...ids, ...body });
  }

  /** All that work in the background now. */
  #printBackground(): void {
    const tasks = this.#tasks.values().flatMap((task) => {
      const { session: task_id, type: subagent_type, description, isInBackground } = task;
      const shown = { task_id, task_type: "local_agent", subagent_type, description };
      return isInBackground ? [shown] : [];
    });
    this.#options.print({
      type: "system",
      subtype: "background_tasks_changed",
      tasks: [...tasks],
    });
  }
}

const usageOf = ({ tokens, calls, startMs }: Task) => ({
  total_tokens: tokens,
  tool_uses: calls,
  duration_ms: Date.now() - startMs,
});
