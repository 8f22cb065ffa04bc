import { z } from "zod";
import type { SubagentRun } from "../protocol/entry.ts";
import {
  textOutput,
  ToolError,
  touchesNothing,
  type Tool,
  type ToolOutput,
  type ToolRun,
} from "./tool.ts";
import description from "./agent-tool.md" with { type: "text" };

const schema = z.strictObject({
  description: z.string().describe("The task in three to five words."),
  prompt: z.string().min(1).describe("The whole task; it sees nothing else."),
  subagent_type: z.string().optional(),
  model: z.string().optional(),
  run_in_background: z.boolean().optional().describe("You get its report when it ends."),
});

type AgentInput = z.infer<typeof schema>;

/** A subagent as the model may choose it. */
export type SubagentChoice = { name: string; description: string };

export type SubagentTask = { type: string; prompt: string; model: string | null };

/** A subagent at work. */
export type StartedSubagent = {
  session: string;
  report: Promise<ToolOutput & { subagent: SubagentRun }>;
  /** Lets it continue without the call; its report is delivered as news. Null: that is not possible. */
  detach: (() => void) | null;
};

type SubagentStarter = (task: SubagentTask, run: ToolRun) => Promise<StartedSubagent>;

/** Includes those in the background, which cost money unwatched. */
const maxWorking = 16;

/** Runs a task in a subagent with a separate context. `choices`: the first is the default. */
export function agentTool(
  choices: readonly SubagentChoice[],
  start: SubagentStarter,
): Tool<AgentInput> {
  const working = new Set<Promise<void>>();
  return {
    name: "Agent",
    description,
    choices: choices.map(({ name, description }) => `- ${name}: ${description}`),
    schema,
    // Its changes are judged call by call, as for the main agent.
    readOnly: true,
    intent: async ({ description, prompt }) => touchesNothing(description, prompt),
    async run({ prompt, subagent_type: type, model, run_in_background: background }, run) {
      const names = choices.map(({ name }) => name);
      const wanted = type?.toLowerCase() ?? names[0]?.toLowerCase();
      const chosen = names.find((name) => name.toLowerCase() === wanted);
      if (chosen === undefined)
        throw new ToolError(`There is no agent “${type ?? ""}”. Available: ${names.join(", ")}.`);
      while (working.size === maxWorking) {
        run.progress(`Waits: ${maxWorking} subagents are at work.`, 0);
        await Promise.race([...working, aborted(run.signal)]);
        if (run.signal.aborted) throw new ToolError("The subagent was stopped before it began.");
      }
      const started = start({ type: chosen, prompt, model: model ?? null }, run);
      const done: Promise<void> = started
        .then((subagent) => subagent.report)
        .catch(() => undefined)
        .then(() => void working.delete(done));
      working.add(done);
      const { session, report, detach } = await started;
      if (detach === null) return report;
      const sent = background ? Promise.resolve() : run.background;
      const ended = await Promise.race([report, sent.then(() => null)]);
      if (ended !== null) return ended;
      detach();
      return textOutput(
        `Working in the background, in session ${session}. You get its report when it ends.`,
      );
    },
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
