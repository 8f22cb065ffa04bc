/** What a request tells the planner: the user's question, and what the tools said since. */

import { textOf, type ToolInput } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";

/** A call that was made in this turn, with what came of it. */
export type Step = { tool: string; input: ToolInput; text: string; failed: boolean };

export type Turn = {
  question: string;
  steps: Step[];
  /** What the user asked before, oldest first. */
  earlier: string[];
  /** Everything that was called before this turn. */
  history: Step[];
  /** Names of the tools that may be called. */
  tools: ReadonlySet<string>;
};

/** Reads the turn from the messages: it begins with the last words of the user that are no context. */
export function readTurn(request: ModelRequest): Turn {
  const results = new Map<string, { text: string; failed: boolean }>();
  for (const { content } of request.messages) {
    for (const block of content) {
      if (block.type !== "tool_result") continue;
      results.set(block.tool_use_id, {
        text: textOf(block.content),
        failed: block.is_error === true,
      });
    }
  }
  const earlier: string[] = [];
  const history: Step[] = [];
  let question = "";
  let steps: Step[] = [];
  for (const { role, content } of request.messages) {
    const words =
      role === "user"
        ? content.flatMap((block) => (block.type === "text" ? [block.text] : []))
        : [];
    const said = words
      .filter((text) => !isContext(text))
      .join("\n")
      .trim();
    if (said !== "") {
      if (question !== "") earlier.push(question);
      question = said;
      history.push(...steps);
      steps = [];
    }
    for (const block of content) {
      if (block.type !== "tool_use") continue;
      const result = results.get(block.id) ?? { text: "", failed: true };
      steps.push({ tool: block.name, input: block.input, ...result });
    }
  }
  return {
    question,
    steps,
    earlier,
    history,
    tools: new Set(request.tools.map(({ name }) => name)),
  };
}

const isContext = (text: string): boolean =>
  text.startsWith("<context ") || /^\[Summary of \d+ earlier messages/.test(text);

/** The text argument of a step's input, or "". */
export const argument = (step: Step, name: string): string => {
  const value = step.input[name];
  return typeof value === "string" ? value : "";
};

/** Lines of a read_file result without their numbers; null where it is no such result. */
export function numberedLines(text: string): { number: number; text: string }[] {
  return text.split("\n").flatMap((line) => {
    const found = /^\s*(\d+)\t(.*)$/.exec(line);
    return found ? [{ number: Number(found[1]), text: found[2] ?? "" }] : [];
  });
}

/** Matches of a grep result: `path:line:text`. */
export function matchesIn(text: string): { path: string; line: number; text: string }[] {
  return text.split("\n").flatMap((line) => {
    const found = /^(.+?):(\d+):(.*)$/.exec(line);
    return found?.[1] ? [{ path: found[1], line: Number(found[2]), text: found[3] ?? "" }] : [];
  });
}

/** Paths of a glob result. */
export const pathsIn = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("[") && !line.startsWith("No file"));
