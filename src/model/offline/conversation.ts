/** A request, read as a conversation: the user's words, the calls made, and the answers. */

import { blockText, type ToolInput } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";

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
  /** A summary replaced the beginning of this exchange: some of its steps are unknown. */
  isCutOff: boolean;
  /** The calls that were made for it. */
  steps: CallStep[];
  tools: ReadonlySet<string>;
};

const noResult = { text: "", failed: true, cleared: true };

export function readConversation({ messages, tools }: ModelRequest): OfflineConversation {
  const results = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => {
        if (block.type !== "tool_result") return [];
        const text = blockText(block.content);
        const failed = block.is_error === true;
        return [[block.tool_use_id, { text, failed, cleared: !failed && isCleared(text) }]];
      }),
    ),
  );
  let question = "";
  let isCutOff = true;
  let steps: CallStep[] = [];
  for (const { role, content } of messages)
    for (const block of content) {
      if (block.type === "tool_use") {
        const result = results.get(block.id) ?? noResult;
        steps.push({ tool: block.name, input: block.input, ...result });
      }
      if (role !== "user" || block.type !== "text") continue;
      const isSummary = summaryStart.test(block.text);
      if (!isSummary && isContext.test(block.text)) continue;
      isCutOff = isSummary;
      question = isSummary ? lastQuoted(block.text) : withoutMentions(block.text).trim();
      steps = [];
    }
  return { question, isCutOff, steps, tools: new Set(tools.map(({ name }) => name)) };
}

/** A placeholder in place of a result that was removed from the context. */
const isCleared = (text: string): boolean =>
  /^\[(?:(?:Result )?(?:snipped|cleared): |Old result cleared|Content snipped|Previous: used )/.test(
    text,
  );

/** `@src/a.ts`, as the prompt completes it, means the file. Quoted text is unchanged. */
const withoutMentions = (text: string): string =>
  /["“`'\n]/.test(text) ? text : text.replace(/(^|\s)@(?=[\w./~])/g, "$1");

const summaryStart = /^\[[^\]\n]*\bsummary\b/i;

/** Other text in a user message that the user did not write. */
const isContext = /^<(?:context|kept) |^\(older messages [^)]*\)$|^\s*$/;

/** The latest of the user's messages that a summary quotes. */
function lastQuoted(summary: string): string {
  // The summary may quote anything, and so may the files after it: neither holds the user's words.
  const [outside = ""] = summary.replace(/<summary>[^]*?<\/summary>/, "").split("\n<file>");
  const sections = outside.split(/^# /m).slice(1);
  const quoted = sections.find((section) => /^.*\buser'?s\b.*\bmessages\b/i.test(section));
  return (
    quoted
      ?.split(/^\[#\w+\] /m)
      .slice(1)
      .at(-1)
      ?.trim() ?? ""
  );
}

/** The offline model's own tokens: four characters each, in every kind of text. */
export const charsPerToken = 4;

export const countTokens = (text: string): number => Math.ceil(text.length / charsPerToken);

const imageTokens = 1_600;

/** Tokens of a whole request. */
export function tokensOfRequest({ system, tools, messages }: ModelRequest): number {
  const words = [
    ...system.map(({ text }) => text),
    JSON.stringify(tools, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  ];
  let tokens = words.reduce((sum, text) => sum + countTokens(text), 0);
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type === "text") tokens += countTokens(block.text);
    else if (block.type === "tool_use")
      tokens += countTokens(block.name + JSON.stringify(block.input));
    else if (block.type !== "tool_result") tokens += countTokens(JSON.stringify(block));
    else
      for (const part of block.content)
        tokens += part.type === "text" ? countTokens(part.text) : imageTokens;
  }
  return tokens;
}
