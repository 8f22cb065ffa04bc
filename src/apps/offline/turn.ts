/** What a request tells the planner: the user's question, and what the tools said since. */

import { textOf, type ToolInput } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { isGone } from "./results.ts";
import { isAside, readSummarised, type Summarised } from "./summarised.ts";

/** A call that was made, with what came of it. */
export type Step = {
  tool: string;
  input: ToolInput;
  text: string;
  failed: boolean;
  /** Its result gave way to a placeholder. */
  gone: boolean;
};

/** A question of the user's with all that followed, up to the next one. */
export type Exchange = {
  question: string;
  steps: Step[];
  /** The model's own words, each with the number of steps before it. */
  said: { text: string; after: number }[];
};

export type Turn = {
  question: string;
  steps: Step[];
  said: Exchange["said"];
  /** What came before this turn and is still in the context, oldest first. */
  before: Exchange[];
  /** What the user asked before, oldest first; what a summary quotes included. */
  earlier: string[];
  /** What a summary knows of what is no longer in the context. */
  summarised: Summarised;
  /** Names of the tools that may be called. */
  tools: ReadonlySet<string>;
};

/** "@src/a.ts" is how a file is completed in the prompt; meant is the file. What is quoted stays as it is. */
const withoutMentions = (text: string): string =>
  /["“`'\n]/.test(text) ? text : text.replace(/(^|\s)@(?=[\w./~])/g, "$1");

/**
 * Reads the turn from the messages. It begins with the last words of the user's that are no context;
 * where a summary was forced into the turn and took them, with the last words that it quotes.
 */
export function readTurn({ messages, tools }: ModelRequest): Turn {
  const results = resultsIn(messages);
  const exchanges: Exchange[] = [];
  let summarised: Summarised = { text: "", questions: [], read: [], changed: [] };
  let open: Exchange = { question: "", steps: [], said: [] };
  for (const { role, content } of messages) {
    if (role === "user") {
      const words = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
      for (const text of words) summarised = readSummarised(text) ?? summarised;
      const question = withoutMentions(words.filter((text) => !isAside(text)).join("\n"));
      if (question.trim() === "") continue;
      if (open.question !== "" || open.steps.length > 0) exchanges.push(open);
      open = { question: question.trim(), steps: [], said: [] };
      continue;
    }
    const text = textOf(content).trim();
    if (text !== "") open.said.push({ text, after: open.steps.length });
    for (const block of content) {
      if (block.type !== "tool_use") continue;
      const result = results.get(block.id) ?? { text: "", failed: true, gone: true };
      open.steps.push({ tool: block.name, input: block.input, ...result });
    }
  }
  const asked = [...summarised.questions, ...exchanges.map(({ question }) => question)];
  const question = open.question === "" ? (asked.pop() ?? "") : open.question;
  return {
    question,
    steps: open.steps,
    said: open.said,
    before: exchanges,
    earlier: asked.filter((text) => text !== ""),
    summarised,
    tools: new Set(tools.map(({ name }) => name)),
  };
}

function resultsIn(messages: ModelRequest["messages"]) {
  const results = new Map<string, Pick<Step, "text" | "failed" | "gone">>();
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type !== "tool_result") continue;
      const text = textOf(block.content);
      const failed = block.is_error === true;
      results.set(block.tool_use_id, { text, failed, gone: !failed && isGone(text) });
    }
  }
  return results;
}

/** Every call that is still in the context, oldest first. */
export const callsSoFar = ({ before, steps }: Turn): Step[] => [
  ...before.flatMap((exchange) => exchange.steps),
  ...steps,
];

/** The text argument of a step's input, or "". */
export const argument = (step: Step, name: string): string => {
  const value = step.input[name];
  return typeof value === "string" ? value : "";
};
