/**
 * Ends a turn that gets nowhere: calls that never run, calls that only fail, the same results again
 * and again. The model is told first what to do differently.
 */

import { unreadableInputKey, type ToolUseBlock } from "../protocol/block.ts";
import type { Entry, EntryOf } from "../protocol/entry.ts";
import type { ModelRequest } from "../protocol/model.ts";
import type { Session } from "./session.ts";

/** Why a call did not run. `cut`: by the output limit; `wrong`: its name or its input. */
export type Fault = "cut" | "unreadable" | "wrong" | "denied";

export type Verdict =
  | { is: "end"; message: string }
  /** Advice for the model: how to go on. */
  | { is: "tell"; text: string };

/** Steps in a row in which no call ran. */
const fruitless = { tell: 2, end: 4 };

/**
 * Limits on the sum of fault weights over all tools. Only a useful call of a tool clears the faults of
 * that tool.
 */
const pending = { tell: 6, end: 12 };
const weights: Record<Fault, number> = { cut: 3, unreadable: 2, wrong: 1.5, denied: 1 };

/** Steps in a row in which all calls failed. */
const failing = { tell: 10, end: 20 };

/** Limit on equal results of the same call; high enough for a model that polls. */
const maxRepeats = 25;

/** Limit on equal results of different calls of one tool, such as endless "no matches". */
const maxAlike = 100;

type Done = { call: ToolUseBlock; fault: Fault | null; failed: boolean; isNew: boolean };

/** One for each turn. */
export class ProgressGuard {
  readonly #seen = new Set<string>();
  readonly #outputs = new Set<string>();
  /** How often each result came again since the last new one. */
  readonly #repeats = new Map<string, number>();
  readonly #alike = new Map<string, number>();
  readonly #pending = new Map<string, number>();
  #fruitless = 0;
  #failing = 0;

  /** After a step; `path` includes the results. Null: nothing to say. */
  check(
    calls: readonly ToolUseBlock[],
    faults: ReadonlyMap<string, Fault> | undefined,
    path: readonly Entry[],
  ): Verdict | null {
    const done: Done[] = [];
    for (const call of calls) {
      const result = path.findLast((entry) => entry.type === "result" && entry.toolUse === call.id);
      if (result?.type !== "result") continue;
      const repeated = this.#repeated(call, result);
      if (typeof repeated === "string") return { is: "end", message: repeated };
      const given = faults?.get(call.id) ?? null;
      const fault = given === "wrong" && isUnreadable(call) ? "unreadable" : given;
      done.push({ call, fault, failed: result.isError === true, isNew: !repeated });
    }
    return this.#checkFaults(done) ?? this.#checkFailures(done);
  }

  /** Whether the result was seen before; a sentence if that was too often. */
  #repeated({ name, input }: ToolUseBlock, { content }: EntryOf<"result">): boolean | string {
    const output = hash([name, content]);
    if (!this.#outputs.has(output)) {
      this.#outputs.add(output);
      this.#alike.clear();
    }
    const alike = increment(this.#alike, output);
    if (alike >= maxAlike)
      return `${alike} calls of ${name} brought the same result and nothing new came in between, so the turn was stopped. Send “continue” to resume.`;
    const key = hash([name, input, content]);
    if (!this.#seen.has(key)) {
      this.#seen.add(key);
      this.#repeats.clear();
      return false;
    }
    const times = increment(this.#repeats, key) + 1;
    if (times < maxRepeats) return true;
    return `The model made the same ${name} call ${times} times and learned nothing new in between, so the turn was stopped. If the context is too small for the task, use a larger window or a smaller task.`;
  }

  #checkFaults(done: readonly Done[]): Verdict | null {
    for (const { call, fault, failed, isNew } of done)
      if (fault === null && !failed && isNew) this.#pending.delete(call.name);
    const faulty = done.flatMap(({ call, fault }) => (fault ? [{ call, fault }] : []));
    const worst = faulty.toSorted((a, b) => weights[b.fault] - weights[a.fault])[0];
    if (!worst) {
      // A call that brings nothing new is no progress.
      if (done.some(({ failed, isNew }) => !failed && isNew)) this.#fruitless = 0;
      return null;
    }
    const { call, fault } = worst;
    const before = sum(this.#pending);
    increment(this.#pending, call.name, weights[fault]);
    const now = sum(this.#pending);
    if (faulty.length === done.length) this.#fruitless++;
    if (now >= pending.end || this.#fruitless >= fruitless.end)
      return { is: "end", message: endSentences[fault](call.name) };
    const isDue =
      (faulty.length === done.length && this.#fruitless === fruitless.tell) ||
      (before < pending.tell && now >= pending.tell);
    return isDue ? { is: "tell", text: advice[fault](call.name) } : null;
  }

  #checkFailures(done: readonly Done[]): Verdict | null {
    if (done.length === 0) return null;
    this.#failing = done.every(({ failed }) => failed) ? this.#failing + 1 : 0;
    if (this.#failing >= failing.end)
      return {
        is: "end",
        message: `Every call failed in ${this.#failing} steps in a row, so the turn was stopped. Send “continue” to resume, or say what to do differently.`,
      };
    if (this.#failing !== failing.tell) return null;
    return {
      is: "tell",
      text: `Every call of your last ${failing.tell} steps failed. Do not send another variation: find out why (read the file, look at the error), take another approach, or say what you could not do.`,
    };
  }
}

const isUnreadable = ({ input }: ToolUseBlock): boolean => unreadableInputKey in input;

const hash = (value: unknown): string => Bun.hash(JSON.stringify(value)).toString();

function increment(counts: Map<string, number>, key: string, by = 1): number {
  const count = (counts.get(key) ?? 0) + by;
  counts.set(key, count);
  return count;
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  counts.values().reduce((total, count) => total + count, 0);

/** Lines of a file that surely fit into an answer. */
const linesPerPiece = (outputTokens: number): number =>
  Math.max(20, Math.min(400, Math.floor(outputTokens / 300) * 10));

const files = ["Write", "Edit"];

/** The call of an answer that ended in the middle of its input, and the result it gets; null: none. */
export function cutOffCall(
  { content, stop }: Pick<EntryOf<"assistant">, "content" | "stop">,
  outputTokens: number,
): { id: string; result: string } | null {
  const last = content.at(-1);
  if (last?.type !== "tool_use") return null;
  if (stop !== "max_tokens" && stop !== "model_context_window_exceeded") return null;
  if (!isUnreadable(last) && Object.keys(last.input).length > 0) return null;
  return { id: last.id, result: cutOffResult(last.name, outputTokens) };
}

/**
 * From the second answer in a row that reached the output limit on, the next may be longer, where the
 * model allows it and the window has room.
 */
export function withMoreRoom(
  request: ModelRequest,
  cutAnswers: number,
  { rules, reading }: Pick<Session, "rules" | "reading">,
): ModelRequest {
  const { outputCeiling = 0, outputTokens, windowTokens } = rules;
  const room = (windowTokens - reading.usedTokens - reading.errorTokens) / 2;
  const wanted = outputTokens * 2 ** (cutAnswers - 1);
  const maxTokens = Math.floor(Math.min(wanted, outputCeiling, room));
  return maxTokens > request.maxTokens ? { ...request, maxTokens } : request;
}

const cutOffResult = (tool: string, outputTokens: number): string =>
  `${tool} did not run: your answer reached the output limit of ${outputTokens} tokens in the middle of its input. ${inPieces(tool, outputTokens)}`;

function inPieces(tool: string, outputTokens: number): string {
  const lines = linesPerPiece(outputTokens);
  return files.includes(tool)
    ? `Do not send it whole again. Write the file in pieces of at most ${lines} lines: the first piece with Write, and each further one with an Edit that replaces the last line by that line and the next piece.`
    : `Do not send it whole again. Split it into calls with at most ${lines} lines of input each.`;
}

const advice: Record<Fault, (tool: string) => string> = {
  cut: (tool) =>
    `${tool} was cut off again, so nothing was done. The next call must be much shorter than the last one: begin with the first 20 lines alone, and add the rest in further calls.`,
  unreadable: (tool) =>
    `The input of ${tool} was not valid JSON again. Send one JSON object with double quotes; inside strings write \\n for a line break, \\" for a quote and \\\\ for a backslash. If the text is long, send a short piece of it first.`,
  wrong: (tool) =>
    `Your last calls, such as ${tool}, were not understood and did not run. Use only the tools you were given, with the parameters that the errors name. If none of them does it, say so instead of calling again.`,
  denied: (tool) =>
    `Your last calls, such as ${tool}, were denied. Do not try the same in another way. Continue without it, or say what you need and why.`,
};

const resume = "Send “continue” to resume, or ask for less at once.";

const endSentences: Record<Fault, (tool: string) => string> = {
  cut: (tool) =>
    `The model's ${tool} calls were repeatedly cut off at the output limit, so the turn was stopped. ${resume} The setting outputTokens raises the limit where the model allows it.`,
  unreadable: (tool) =>
    `The model repeatedly sent ${tool} calls that are not valid JSON, so the turn was stopped. ${resume}`,
  wrong: (tool) =>
    `The model repeatedly sent calls that could not run, last ${tool}, so the turn was stopped. Send “continue” to resume, or say what to do differently.`,
  denied: (tool) =>
    `Calls were denied repeatedly, last ${tool}, so the turn was stopped. Say what to do instead, change the mode with /mode, or add a rule to the setting permissions.`,
};
