import type { ToolInput } from "../../protocol/block.ts";
import type { Step, Turn } from "./turn.ts";

export type Call = { tool: string; input: ToolInput };

/** The next thing to do: words, calls, or both. Without calls the turn is over. */
export type Move = { say?: string; calls?: Call[] };

/**
 * Something that the offline model can do. A skill looks at the whole turn each time it is asked and
 * gives the next move, so it needs no memory; null: this is not a question for me.
 */
export type Skill = (turn: Turn) => Move | null;

export const call = (tool: string, input: ToolInput): Call => ({ tool, input });

const keyOf = ({ tool, input }: Call): string => `${tool} ${JSON.stringify(input)}`;

/**
 * The very call was made twice and nothing new was asked for in between or since: its result is cut
 * away each time, and another try would end the same way.
 */
export function isStuck(one: Call, steps: readonly Step[]): boolean {
  const keys = steps.map(keyOf);
  const last = keys.lastIndexOf(keyOf(one));
  const before = last === -1 ? -1 : keys.lastIndexOf(keyOf(one), last - 1);
  if (last < 1 || before === -1) return false;
  return keys.every((key, at) => at <= before || keys.indexOf(key) < before || key === keys[last]);
}
