/** A summary made of the conversation's own words: no language model, so nothing is invented. */

import type { Message, ModelRequest } from "../../protocol/model.ts";
import { clip } from "./text.ts";
import { charsPerToken } from "./tokenizer.ts";
import { argument, callsSoFar, readTurn, type Step, type Turn } from "./turn.ts";

/** Fits `maxTokens` of the request. */
export function writeSummary(request: ModelRequest): string {
  // The last words are the prompt of this summary, and no question of the user's.
  const { messages, prompt } = withoutPrompt(request.messages);
  const turn = readTurn({ ...request, messages });
  const most = request.maxTokens * charsPerToken - 40;
  for (const scale of [1, 0.5, 0.25, 0.12, 0.05]) {
    const body = sections(turn, prompt, scale);
    if (body.length <= most || scale === 0.05)
      return `<summary>\n${body.slice(0, Math.max(0, most)).toWellFormed()}\n</summary>`;
  }
  return "<summary>\n</summary>";
}

function withoutPrompt(messages: readonly Message[]): { messages: Message[]; prompt: string } {
  const last = messages.at(-1);
  const block = last?.role === "user" ? last.content.at(-1) : undefined;
  if (!last || block?.type !== "text") return { messages: [...messages], prompt: "" };
  const rest = { role: last.role, content: last.content.slice(0, -1) };
  return { messages: [...messages.slice(0, -1), rest], prompt: block.text };
}

/** `scale`: of the lengths and numbers that an ample summary has. */
function sections(turn: Turn, prompt: string, scale: number): string {
  const chars = (most: number): number => Math.max(40, Math.floor(most * scale));
  const some = (most: number): number => Math.max(2, Math.floor(most * scale));
  const questions = [...turn.earlier, turn.question].filter((text) => text !== "");
  const calls = callsSoFar(turn);
  const focus = /^Keep above all what has to do with this: (.+)$/m.exec(prompt)?.[1];
  const body = [
    section("1. Intent", [
      ...questions.slice(0, 1).map((text) => clip(text, chars(800))),
      ...rules(questions.slice(1))
        .slice(-some(20))
        .map((text) => clip(text, chars(300))),
      ...(focus ? [`To be kept above all: ${clip(focus, chars(300))}`] : []),
    ]),
    section("3. Files", [
      ...changed(turn, calls)
        .slice(-some(40))
        .map((path) => `changed: ${path}`),
      ...read(turn, calls)
        .slice(-some(120))
        .map((path) => `read: ${path}`),
    ]),
    section(
      "4. Errors and fixes",
      calls
        .filter(({ failed }) => failed)
        .slice(-some(8))
        .map(
          (step) => `${step.tool} ${clip(mainArgument(step), 80)}: ${clip(step.text, chars(200))}`,
        ),
    ),
    section(
      "5. The user's messages",
      questions.slice(-some(30)).map((text) => clip(text, chars(400))),
    ),
    section(
      "6. Open and cancelled work",
      openItems(calls).map((text) => clip(text, chars(200))),
    ),
    section("7. Current state", [
      ...commandsIn(turn, calls).slice(-some(12)),
      ...answers(turn)
        .slice(-some(6))
        .map((text) => clip(text, chars(700))),
    ]),
    section(
      "8. Next step",
      nextStep(turn).map((text) => clip(text, chars(400))),
    ),
  ].filter((text) => text !== "");
  return body.length > 0
    ? body.join("\n\n")
    : "1. Intent:\n- Nothing was asked before this point, and nothing was done; the log holds everything.";
}

/** Sentences of the user's that set a rule rather than ask for something once. */
const rules = (questions: readonly string[]): string[] =>
  questions
    .flatMap((text) => text.split(/(?<=[.!?])\s+|\n+/))
    .filter((text) =>
      /\b(?:always|never|must|do not|don't|only|from now on|prefer|instead|remember|make sure)\b/i.test(
        text,
      ),
    );

const succeeded = (calls: readonly Step[], ...tools: string[]): string[] =>
  calls
    .filter(({ tool, failed }) => !failed && tools.includes(tool))
    .map((step) => argument(step, "path"));

const changed = ({ summarised }: Turn, calls: readonly Step[]): string[] => [
  ...new Set([...summarised.changed, ...succeeded(calls, "edit_file", "write_file")]),
];

const read = ({ summarised }: Turn, calls: readonly Step[]): string[] => [
  ...new Set([...summarised.read, ...succeeded(calls, "read_file")]),
];

const mainArgument = (step: Step): string =>
  argument(step, "path") || argument(step, "command") || argument(step, "pattern");

function openItems(calls: readonly Step[]): string[] {
  const items = calls.findLast(({ tool }) => tool === "todo")?.input["items"];
  if (!Array.isArray(items)) return [];
  return items.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null || !("text" in one) || !("status" in one))
      return [];
    const { text, status } = one;
    return typeof text === "string" && status !== "done" ? [`${text} (${String(status)})`] : [];
  });
}

/** Commands with how they ended; those of an earlier summary first. */
function commandsIn({ summarised }: Turn, calls: readonly Step[]): string[] {
  const before = [...summarised.text.matchAll(/^- (`.+`: (?:failed|ended well).*)$/gm)];
  const now = calls
    .filter(({ tool }) => tool === "bash")
    .map((step) => {
      const last = step.gone
        ? ""
        : (step.text.split("\n").findLast((line) => /\w/.test(line)) ?? "");
      const how = step.failed ? "failed" : "ended well";
      return `\`${clip(argument(step, "command"), 100)}\`: ${how}${last === "" ? "" : `; last line: ${clip(last, 120)}`}`;
    });
  return [...before.map((found) => found[1] ?? ""), ...now];
}

/** The last words of each turn: what came of it. */
const answers = ({ before, said }: Turn): string[] =>
  [...before.map((one) => one.said), said].flatMap((words) => words.at(-1)?.text ?? []);

/** Only what is still being done is a next step. */
function nextStep({ question, said, steps }: Turn): string[] {
  const last = said.at(-1);
  const isOpen = question !== "" && (last === undefined || last.after < steps.length);
  return isOpen ? [`Go on with: ${question}`] : [];
}

const section = (title: string, lines: readonly string[]): string => {
  const shown = lines.filter((line) => line !== "");
  return shown.length === 0 ? "" : `${title}:\n${shown.map((line) => `- ${line}`).join("\n")}`;
};
