/** Answers a request. Pure: the same request gets the same answer. */

import { clipLine, takeStart } from "../../base/clip.ts";
import type { AssistantBlock } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import {
  readConversation,
  type OfflineConversation,
  type CallStep,
  charsPerToken,
} from "./conversation.ts";
import { replay, answer, type AnswerScript, type Skill, make } from "./script.ts";
import { changeFile } from "./skills/change.ts";
import { explain } from "./skills/explain.ts";
import { facts } from "./skills/facts.ts";
import { help, history } from "./skills/talk.ts";
import { project } from "./skills/project.ts";
import { readFiles } from "./skills/read.ts";
import { run } from "./skills/run.ts";
import { tellValue } from "./skills/values.ts";
import { where } from "./skills/where.ts";
import { paragraphs } from "./text.ts";
import { type PlannedCall, setTodos, toolNames } from "./tools.ts";
import type { Todo } from "../../protocol/todo.ts";

/** From the most specific wording to the vaguest; the first that takes the request answers it. */
const skills: readonly Skill[] = [
  history,
  run,
  facts,
  tellValue,
  project,
  readFiles,
  explain,
  where,
];

/** A longer message was pasted; only an edit is looked for in it. */
const requestChars = 2_000;
const editChars = 20_000;

const takeRequest: Skill = (request, conversation) => {
  const change = request.length > editChars ? null : changeFile(request, conversation);
  if (change || request.length > requestChars) return change;
  for (const skill of skills) {
    const script = skill(request, conversation);
    if (script) return script;
  }
  return null;
};

function scriptFor(conversation: OfflineConversation): AnswerScript {
  const { question, also, steps } = conversation;
  const declined = steps.find(isDeclined);
  if (declined) return answer(whyStopped(declined));
  const first = chooseScript(question, conversation);
  return also.length === 0 ? first : withOthers(first, also, conversation);
}

/** Questions that came while the first one was being answered, each in its turn. */
function* withOthers(
  first: AnswerScript,
  also: readonly string[],
  conversation: OfflineConversation,
): AnswerScript {
  const answers = [yield* first];
  for (const question of also)
    answers.push(`**${clipLine(question, 80)}**\n\n${yield* chooseScript(question, conversation)}`);
  return paragraphs(...answers);
}

function chooseScript(question: string, conversation: OfflineConversation): AnswerScript {
  const tasks = question.length > requestChars ? [] : listTasks(question);
  const several = tasks.length > 1 ? doTasks(tasks, conversation, takeRequest) : null;
  return several ?? takeRequest(question, conversation) ?? help(question);
}

const isDeclined = ({ failed, text }: CallStep): boolean =>
  failed && /^The user (declined|denied|rejected)/.test(text);

function whyStopped({ text, tool }: CallStep): string {
  const reason = /\bsaid: ([\s\S]+)$/.exec(text)?.[1]?.trim();
  return `The ${tool} call was denied and did not run${reason ? `: “${reason}”` : "."}`;
}

export function planAnswer(request: ModelRequest): AssistantBlock[] {
  const conversation = readConversation(request);
  const next = replay(scriptFor(conversation), conversation);
  const { text, calls } = fit(next.text, next.calls, request.maxTokens * charsPerToken);
  // Ids must be unique in a session, but a request shows only a part of it: so they depend on all
  // of the request.
  const id = Bun.hash(JSON.stringify(request.messages)).toString(36);
  return [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map(({ tool, input }, index) => ({
      type: "tool_use" as const,
      id: `offline_${id}_${index}`,
      name: tool,
      input,
    })),
  ];
}

/** Cuts the text to what fits; calls that do not fit are dropped, and the text says so. */
function fit(text: string, calls: readonly PlannedCall[], maxChars: number) {
  const callChars = calls.reduce((sum, call) => sum + JSON.stringify(call).length + 80, 0);
  return callChars > maxChars
    ? { text: fitText("This is too long for one answer. Ask for less.", maxChars), calls: [] }
    : { text: fitText(text, maxChars - callChars), calls };
}

function fitText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const note = "\n\n[The rest does not fit into this answer.]";
  const room = maxChars - note.length;
  return room > 0 ? `${takeStart(text, room)}${note}` : "";
}

/** Fewer tasks need no todo list. */
const listedFrom = 3;

const item = /^\s*(?:\d+[.)]|[-*•])\s+(\S.*)$/;

/** The items of a list; none if the message is not a list. */
export const listTasks = (question: string): string[] =>
  question.includes("```")
    ? []
    : question.split("\n").flatMap((line) => item.exec(line)?.[1]?.trim() ?? []);

/** Null: none of the tasks is one that `take` can do. */
export function doTasks(
  tasks: readonly string[],
  conversation: OfflineConversation,
  take: Skill,
): AnswerScript | null {
  const scripts = tasks.map((task) => ({ task, script: take(task, conversation) }));
  const possible = scripts.filter(({ script }) => script !== null).length;
  return possible === 0 ? null : doAll(scripts, possible, conversation.tools.has(toolNames.todo));
}

function* doAll(
  scripts: readonly { task: string; script: AnswerScript | null }[],
  possible: number,
  hasTodos: boolean,
): AnswerScript {
  const answers: string[] = [];
  const isListed = hasTodos && scripts.length >= listedFrom;
  const toStatus = (at: number, now: number): Todo["status"] =>
    at < now ? "completed" : at === now ? "in_progress" : "pending";
  for (const [now, { task, script }] of scripts.entries()) {
    if (isListed && script !== null) yield* make(todos(now));
    const done = script === null ? "I can't do this step." : yield* script;
    answers.push(`**Step ${now + 1} of ${scripts.length}: ${clipLine(task, 80)}**\n\n${done}`);
  }
  if (isListed) yield* make(todos(scripts.length));
  const all = possible === scripts.length ? `all ${possible}` : `${possible} of ${scripts.length}`;
  return paragraphs(...answers, `I went through ${all} steps.`);

  function todos(now: number) {
    return setTodos(
      scripts.flatMap(({ task, script }, at) =>
        script === null ? [] : [{ content: clipLine(task, 200), status: toStatus(at, now) }],
      ),
    );
  }
}
