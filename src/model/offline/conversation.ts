/** A request, read as a conversation: what the user asked, which calls were made, what was answered. */

import { textOf, type ToolInput } from "../../protocol/block.ts";
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

/** A question and everything that followed it, up to the next one. */
type Exchange = {
  question: string;
  /** Asked while it was being answered. */
  also: string[];
  steps: CallStep[];
  /** The model's last words; "" before there are any. */
  answer: string;
};

export type OfflineConversation = Exchange & {
  /** The exchanges before this one that are still in the context, oldest first. */
  before: Exchange[];
  /** All earlier questions, including those that the summary quotes, oldest first. */
  earlier: string[];
  summary: EarlierSummary;
  /** A summary replaced the beginning of this exchange: some of its steps are unknown. */
  cutOff: boolean;
  tools: ReadonlySet<string>;
};

/** `@src/a.ts`, as the prompt completes it, means the file. Quoted text is unchanged. */
const withoutMentions = (text: string): string =>
  /["“`'\n]/.test(text) ? text : text.replace(/(^|\s)@(?=[\w./~])/g, "$1");

export function readConversation({ messages, tools }: ModelRequest): OfflineConversation {
  const results = collectResults(messages);
  const before: Exchange[] = [];
  let summary = noSummary;
  let current: Exchange = { question: "", also: [], steps: [], answer: "" };
  for (const { role, content } of messages) {
    if (role === "user") {
      const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
      for (const text of texts) summary = readSummary(text) ?? summary;
      const words = texts.filter((text) => !isContext(text)).map(withoutMentions);
      const question = words.join("\n").trim();
      if (question === "") continue;
      const isAmongResults = content.some(({ type }) => type === "tool_result");
      if (isAmongResults && !current.steps.some(isInterrupted)) {
        current.also.push(...words.map((text) => text.trim()));
        continue;
      }
      if (current.question !== "" || current.steps.length > 0) before.push(current);
      current = { question, also: [], steps: [], answer: "" };
      continue;
    }
    current.answer = textOf(content).trim() || current.answer;
    for (const block of content) {
      if (block.type !== "tool_use") continue;
      const result = results.get(block.id) ?? { text: "", failed: true, cleared: true };
      current.steps.push({ tool: block.name, input: block.input, ...result });
    }
  }
  const earlier = [
    ...summary.questions,
    ...before.flatMap(({ question, also }) => [question, ...also]),
  ].filter(Boolean);
  const cutOff = current.question === "";
  const question = cutOff ? (earlier.pop() ?? "") : current.question;
  const names = new Set(tools.map(({ name }) => name));
  return { ...current, question, before, earlier, summary, cutOff, tools: names };
}

/** The user stopped the turn, so what they ask next replaces it. */
const isInterrupted = ({ failed, text }: CallStep): boolean =>
  failed && /^Interrupted\b|^\[(?:interrupted|stopped)/m.test(text);

function collectResults(messages: ModelRequest["messages"]) {
  const results = new Map<string, Pick<CallStep, "text" | "failed" | "cleared">>();
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type !== "tool_result") continue;
      const text = textOf(block.content);
      const failed = block.is_error === true;
      results.set(block.tool_use_id, { text, failed, cleared: !failed && isCleared(text) });
    }
  }
  return results;
}

/** The content of a summary in the context, about the part of the conversation that it replaced. */
type EarlierSummary = {
  text: string;
  /** The user's messages that it quotes, oldest first. */
  questions: string[];
};

const noSummary: EarlierSummary = { text: "", questions: [] };

const summaryStart = /^\[[^\]\n]*\bsummary\b/i;

/** Text in a user message that the user did not write. */
const isContext = (text: string): boolean =>
  summaryStart.test(text) ||
  /^<(context|kept) /.test(text) ||
  /^\(older messages [^)]*\)$/.test(text) ||
  text.trim() === "";

/** Null: the text is not a summary. */
function readSummary(text: string): EarlierSummary | null {
  if (!summaryStart.test(text)) return null;
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1] ?? "";
  // The summary may quote anything, and so may the files after it: neither holds the user's words.
  const outside = text.replace(/<summary>[\s\S]*?<\/summary>/, "").split("\n<file>", 1)[0] ?? "";
  const [, ...sections] = outside.split(/^# /m);
  const quoted = sections.find((section) => /^.*\buser'?s\b.*\bmessages\b/i.test(section));
  const [, ...questions] = (quoted ?? "").split(/^\[#\w+\] /m);
  return {
    text: summary,
    questions: questions.map((question) => question.trim()),
  };
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
