/** A request, read as a conversation: what the user asked, which calls were made, what was answered. */

import { blockText, type ToolInput } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { isCleared } from "./results.ts";

/** A call and its result. */
export type CallStep = {
  tool: string;
  input: ToolInput;
  text: string;
  failed: boolean;
  /** The context holds a placeholder instead of the result. */
  cleared: boolean;
};

export type OfflineConversation = {
  question: string;
  /** The calls that were made for it. */
  steps: CallStep[];
  /** A summary replaced the beginning of this exchange: some of its steps are unknown. */
  cutOff: boolean;
  tools: ReadonlySet<string>;
};

/** `@src/a.ts`, as the prompt completes it, means the file. Quoted text is unchanged. */
const withoutMentions = (text: string): string =>
  /["“`'\n]/.test(text) ? text : text.replace(/(^|\s)@(?=[\w./~])/g, "$1");

export function readConversation({ messages, tools }: ModelRequest): OfflineConversation {
  const results = collectResults(messages);
  /** The latest question that a summary quotes. */
  let quoted = "";
  let now: Pick<OfflineConversation, "question" | "steps"> = { question: "", steps: [] };
  for (const { role, content } of messages) {
    if (role === "assistant") {
      for (const block of content) {
        if (block.type !== "tool_use") continue;
        const result = results.get(block.id) ?? { text: "", failed: true, cleared: true };
        now.steps.push({ tool: block.name, input: block.input, ...result });
      }
      continue;
    }
    const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    for (const text of texts) quoted = lastQuestion(text) ?? quoted;
    const words = texts.flatMap((text) => (isContext(text) ? [] : withoutMentions(text).trim()));
    const question = words.at(-1);
    if (question !== undefined) now = { question, steps: [] };
  }
  const cutOff = now.question === "";
  const question = now.question || quoted;
  return { ...now, question, cutOff, tools: new Set(tools.map(({ name }) => name)) };
}

function collectResults(messages: ModelRequest["messages"]) {
  const results = new Map<string, Pick<CallStep, "text" | "failed" | "cleared">>();
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type !== "tool_result") continue;
      const text = blockText(block.content);
      const failed = block.is_error === true;
      results.set(block.tool_use_id, { text, failed, cleared: !failed && isCleared(text) });
    }
  }
  return results;
}

const summaryStart = /^\[[^\]\n]*\bsummary\b/i;

/** Text in a user message that the user did not write. */
const isContext = (text: string): boolean =>
  summaryStart.test(text) ||
  /^<(context|kept) /.test(text) ||
  /^\(older messages [^)]*\)$/.test(text) ||
  text.trim() === "";

/** The latest of the user's messages that a summary quotes; null: the text is not a summary. */
function lastQuestion(text: string): string | null {
  if (!summaryStart.test(text)) return null;
  // The summary may quote anything, and so may the files after it: neither holds the user's words.
  const outside = text.replace(/<summary>[\s\S]*?<\/summary>/, "").split("\n<file>", 1)[0] ?? "";
  const [, ...sections] = outside.split(/^# /m);
  const quoted = sections.find((section) => /^.*\buser'?s\b.*\bmessages\b/i.test(section));
  const [, ...questions] = (quoted ?? "").split(/^\[#\w+\] /m);
  return questions.at(-1)?.trim() ?? "";
}

/** The offline model's own tokens: four characters each, in every kind of text. */
export const charsPerToken = 4;

export const countTokens = (text: string): number => Math.ceil(text.length / charsPerToken);

/** Tokens of a whole request. */
export function tokensOfRequest({ system, tools, messages }: ModelRequest): number {
  const words = [
    ...system.map(({ text }) => text),
    JSON.stringify(tools, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  ];
  let tokens = words.reduce((sum, text) => sum + countTokens(text), 0);
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === "text") tokens += countTokens(block.text);
      else if (block.type === "tool_use")
        tokens += countTokens(block.name + JSON.stringify(block.input));
      else if (block.type === "tool_result") {
        for (const part of block.content)
          tokens += part.type === "text" ? countTokens(part.text) : 1_600;
      } else tokens += countTokens(JSON.stringify(block));
    }
  }
  return tokens;
}
