/** `/goal`: the agent goes on until a check passes, within a limit of turns and of dollars. */

import { counted } from "../base/format.ts";
import { blockText, type ToolUseBlock } from "../protocol/block.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { Events, TurnEnd } from "../protocol/event.ts";
import goalPrompt from "./prompts/goal.md" with { type: "text" };
import type { Session } from "./session.ts";
import type { ToolContext } from "./permit.ts";
import { runUnrecorded } from "./tool-calls.ts";

export type Goal = {
  /** A command that ends with exit code 0 once the goal is reached. */
  check: string;
  /** How often the agent may stop without having reached it. */
  maxTurns: number;
  /** US dollars, from its start. */
  maxUsd: number;
};

export const goalUsage =
  "/goal [--turns N] [--usd N] CHECK, such as /goal bun test; what to do may follow on the next lines.";

const defaultTurns = 20;
const defaultUsd = 5;

const option = /^--(turns|usd)[= ](\d+(?:\.\d+)?)\s+/;

/** The goal, and the message that starts it; null: no check is named. */
export function readGoal(argumentText: string): { goal: Goal; message: string } | null {
  let rest = argumentText;
  const limits = { turns: defaultTurns, usd: defaultUsd };
  for (let found = option.exec(rest); found; found = option.exec(rest)) {
    limits[found[1] === "usd" ? "usd" : "turns"] = Number(found[2]);
    rest = rest.slice(found[0].length);
  }
  const [check = "", ...task] = rest.split("\n");
  if (check.trim() === "" || check.startsWith("--")) return null;
  const message = goalPrompt
    .replace("$CHECK", () => check.trim())
    .replace("$TASK\n", () => (task.length === 0 ? "" : `${task.join("\n").trim()}\n`))
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return { goal: { check: check.trim(), maxTurns: limits.turns, maxUsd: limits.usd }, message };
}

/** Decides whenever the agent stops whether it goes on. */
export class GoalWatch {
  readonly goal: Goal;
  readonly #session: Session;
  readonly #startUsd: number;
  #turns = 0;

  constructor(goal: Goal, session: Session) {
    this.goal = goal;
    this.#session = session;
    this.#startUsd = session.spentUsd;
  }

  /** How the turn ends once the dollars are spent; null: they are not. */
  overBudget(): TurnEnd | null {
    const { check, maxUsd } = this.goal;
    const usd = this.#session.spentUsd - this.#startUsd;
    if (usd < maxUsd) return null;
    const message = `The goal is not reached: ${check} has not passed at $${usd.toFixed(4)}; the limit is $${maxUsd}.`;
    return { why: "failed", limit: "budget", message };
  }

  /** Runs the check. Returns null when the agent is to go on, or else how the turn ends. */
  async *check(context: ToolContext, signal: AbortSignal): Events<TurnEnd | null> {
    const { check, maxTurns } = this.goal;
    const turns = ++this.#turns;
    const id = `goal-${this.#session.log.path.length}`;
    const call: ToolUseBlock = { type: "tool_use", id, name: "Bash", input: { command: check } };
    yield { type: "phase", phase: "tools" };
    const { content, isError } = yield* runUnrecorded(context, call, signal);
    if (signal.aborted) return { why: "stopped" };
    const output = blockText(content);
    if (!isError) {
      const text = `Goal reached after ${counted(turns, "turn")}: ${check}`;
      yield await this.#session.record({ type: "note", kind: "info", text });
      return { why: "done" };
    }
    if (output.startsWith("(not run:"))
      return { why: "failed", message: `The check of the goal could not run ${output}` };
    const message = `The goal is not reached: ${check} still fails after ${counted(turns, "turn")}.`;
    if (turns >= maxTurns) return { why: "failed", limit: "turns", message };
    const over = this.overBudget();
    if (over !== null) return over;
    const told = `The check failed (turn ${turns} of ${maxTurns}). Its output:\n\n${output}`;
    yield await this.#session.record(contextFact("reminder", "goal", told));
    return null;
  }
}
