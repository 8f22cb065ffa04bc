/** Commands that run in the background. */

import { z } from "zod";
import { ToolError, type Tool } from "../tool.ts";
import { cleanOutput } from "./clean-output.ts";
import type { Command, Ending } from "./command.ts";
import { measure, readFrom } from "./output-file.ts";

const shownBytesAtMost = 16 * 1024;

type Task = {
  id: string;
  command: Command;
  ending: Ending | null;
  readBytes: number;
  unwatch(): void;
};

export class Tasks {
  readonly #tasks = new Map<string, Task>();

  /** Takes a running command over; gives the name under which it can be asked for. */
  add(command: Command): string {
    const id = `t${this.#tasks.size + 1}`;
    // Still watched, so that a flood of output ends.
    const task: Task = {
      id,
      command,
      ending: null,
      readBytes: 0,
      unwatch: command.watch(() => undefined),
    };
    this.#tasks.set(id, task);
    void command.ended.then(async (ending) => {
      task.ending = ending;
      if (!(await command.isAlive())) task.unwatch();
    });
    return id;
  }

  /** Output since the last time, and how the task stands. Throws `ToolError`. */
  async output(id: string): Promise<string> {
    const task = this.#get(id);
    const { bytes } = await measure(task.command.file);
    const start = Math.max(task.readBytes, bytes - shownBytesAtMost);
    const skipped = start - task.readBytes;
    const text = cleanOutput(await readFrom(task.command.file, start, bytes - start));
    task.readBytes = bytes;
    const gap = skipped > 0 ? `[${skipped} bytes before this are in ${task.command.file}]\n` : "";
    return `${await describe(task)}\n${gap}${text === "" ? "(no new output)" : text}`;
  }

  async stop(id: string): Promise<string> {
    const task = this.#get(id);
    if (!(await task.command.isAlive())) return `${await describe(task)} It had ended already.`;
    await task.command.end("stopped");
    task.unwatch();
    return `Task ${id} was stopped. Its output is in ${task.command.file}.`;
  }

  /** Ends everything. */
  async close(): Promise<void> {
    const ended = [...this.#tasks.values()].map(async (task) => {
      task.unwatch();
      if (await task.command.isAlive()) await task.command.end("stopped");
    });
    await Promise.all(ended);
  }

  #get(id: string): Task {
    const task = this.#tasks.get(id);
    if (task) return task;
    const known = [...this.#tasks.keys()].join(", ") || "none";
    throw new ToolError(`There is no background task ${id}; known: ${known}.`);
  }
}

async function describe(task: Task): Promise<string> {
  if (task.ending === null) return `Task ${task.id} is running: ${task.command.text}`;
  const left = (await task.command.isAlive())
    ? " What it started in the background still runs."
    : "";
  return `Task ${task.id} ended (${endingInWords(task.ending)}).${left}`;
}

export function endingInWords(ending: Ending): string {
  switch (ending.how) {
    case "exit":
      return `exit code ${ending.code}`;
    case "signal":
      return `killed by ${ending.signal}`;
    case "timeout":
      return "timed out";
    case "interrupt":
      return "interrupted by the user";
    case "stopped":
      return "stopped";
    case "flood":
      return "ended because it wrote too much output";
    default:
      return ending satisfies never;
  }
}

const input = z.strictObject({
  id: z.string().describe("The task's name, such as t1."),
  action: z
    .enum(["output", "stop"])
    .describe("output: what it wrote since the last time. stop: end it and all it started."),
});

export function taskTool(tasks: Tasks): Tool<z.infer<typeof input>> {
  return {
    name: "task",
    description: "Looks at a background command of bash, or ends it.",
    schema: input,
    readOnly: false,
    intent: async ({ id, action }) => ({
      access: { kind: "none" },
      title: action === "stop" ? `Stop task ${id}` : `Output of task ${id}`,
      detail: "",
      detailKind: "text",
    }),
    run: async ({ id, action }) => {
      const text = await (action === "stop" ? tasks.stop(id) : tasks.output(id));
      return { content: [{ type: "text", text }] };
    },
  };
}
