/** A summary in the conversation's own words: nothing is invented. */

import { clipLine, takeStart } from "../../base/clip.ts";
import type { Message, ModelRequest } from "../../protocol/model.ts";
import {
  allSteps,
  readConversation,
  type OfflineConversation,
  type CallStep,
  charsPerToken,
} from "./conversation.ts";
import { changesFiles, readCommand, openTodos, readPath, readPattern, toolNames } from "./tools.ts";

/** Characters that the sections may take together. */
const fullChars = 30_000;

/** Fits `maxTokens` of the request. */
export function writeSummary(request: ModelRequest): string {
  const { messages, prompt } = withoutPrompt(request.messages);
  const conversation = readConversation({ ...request, messages });
  const most = Math.max(0, request.maxTokens * charsPerToken - 40);
  const body = sections(conversation, prompt, Math.min(1, most / fullChars));
  return `<summary>\n${takeStart(body, most)}\n</summary>`;
}

/** The last text of such a request asks for the summary; the user did not write it. */
function withoutPrompt(messages: readonly Message[]): { messages: Message[]; prompt: string } {
  const last = messages.at(-1);
  const block = last?.role === "user" ? last.content.at(-1) : undefined;
  if (!last || block?.type !== "text") return { messages: [...messages], prompt: "" };
  const rest = { role: last.role, content: last.content.slice(0, -1) };
  return { messages: [...messages.slice(0, -1), rest], prompt: block.text };
}

/** `scale`: from 0 to 1, of the lengths and numbers of a full summary. */
function sections(conversation: OfflineConversation, prompt: string, scale: number): string {
  const { earlier, question, summary, before } = conversation;
  const take = (lines: readonly string[], most: number, chars: number): string[] =>
    lines
      .slice(-Math.max(2, Math.floor(most * scale)))
      .map((line) => clipLine(line, Math.max(40, Math.floor(chars * scale))));
  const questions = [...earlier, question].filter((text) => text !== "");
  const steps = allSteps(conversation);
  const pickPaths = (isWanted: (tool: string) => boolean): string[] =>
    steps
      .filter(({ tool, failed }) => !failed && isWanted(tool))
      .map(({ input }) => readPath(input));
  const changed = [...new Set([...summary.changed, ...pickPaths(changesFiles)])];
  const read = [...new Set([...summary.read, ...pickPaths((tool) => tool === toolNames.read)])];
  const focus = /^(?:Keep above all|Above all|Focus)[^:\n]*: (.+)$/m.exec(prompt)?.[1];
  const answers = [...before, conversation].map(({ answer }) => answer).filter(Boolean);
  const body = [
    section("1. Intent", [
      ...take(questions.slice(0, 1), 1, 800),
      ...take(findRules(questions.slice(1)), 20, 300),
      ...(focus ? [`Focus: ${clipLine(focus, 300)}`] : []),
    ]),
    section("3. Files", [
      ...take(changed, 40, 300).map((path) => `changed: ${path}`),
      ...take(read, 120, 300).map((path) => `read: ${path}`),
    ]),
    section("4. Errors and fixes", take(steps.filter(({ failed }) => failed).map(failure), 8, 300)),
    section("5. The user's messages", take(questions, 30, 400)),
    section("6. Open and cancelled work", take(openWork(steps), 20, 200)),
    section("7. Current state", [
      ...take([...findCommands(summary.text), ...describeCommands(steps)], 12, 260),
      ...take(answers, 6, 700),
    ]),
    section("8. Next step", isOpen(conversation) ? take([`Continue: ${question}`], 2, 400) : []),
  ].filter((text) => text !== "");
  return body.length > 0
    ? body.join("\n\n")
    : "1. Intent:\n- The user asked for nothing before this point.";
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `${title}:\n${lines.map((line) => `- ${line}`).join("\n")}`;

/** Sentences that set a rule rather than ask for something once. */
const findRules = (questions: readonly string[]): string[] =>
  questions
    .flatMap((text) => text.split(/(?<=[.!?])\s+|\n+/))
    .filter((text) =>
      /\b(?:always|never|must|do not|don't|only|from now on|prefer|instead|remember|make sure)\b/i.test(
        text,
      ),
    );

const failure = ({ tool, input, text }: CallStep): string =>
  `${tool} ${clipLine(readPath(input) || readCommand(input) || readPattern(input), 80)}: ${text}`;

const openWork = (steps: readonly CallStep[]): string[] =>
  openTodos(steps.findLast(({ tool }) => tool === toolNames.todo)?.input ?? {});

/** Commands that an earlier summary lists. */
const findCommands = (summary: string): string[] =>
  [...summary.matchAll(/^- (`.+`: (?:failed|succeeded).*)$/gm)].map((found) => found[1] ?? "");

function describeCommands(steps: readonly CallStep[]): string[] {
  return steps
    .filter(({ tool }) => tool === toolNames.run)
    .map(({ input, failed, cleared, text }) => {
      const last = cleared ? undefined : text.split("\n").findLast((line) => /\w/.test(line));
      const how = `\`${clipLine(readCommand(input), 100)}\`: ${failed ? "failed" : "succeeded"}`;
      return last === undefined ? how : `${how}; last line: ${clipLine(last, 120)}`;
    });
}

/** The last question has no answer yet. */
const isOpen = ({ question, answer, steps }: OfflineConversation): boolean =>
  question !== "" && (answer === "" || (steps.length > 0 && steps.at(-1)?.failed === true));
