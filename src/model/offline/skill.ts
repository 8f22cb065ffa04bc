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

/** How often the very call was made already. */
export const timesMade = (one: Call, steps: readonly Step[]): number =>
  steps.filter((step) => keyOf(step) === keyOf(one)).length;
