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
import { replay, answer, type AnswerScript, type Skill } from "./script.ts";
import { changeFile } from "./skills/change.ts";
import { explain } from "./skills/explain.ts";
import { help, history } from "./skills/talk.ts";
import { listKind } from "./skills/kinds.ts";
import { manual } from "./skills/manual.ts";
import { project } from "./skills/project.ts";
import { readFiles } from "./skills/read.ts";
import { run } from "./skills/run.ts";
import { tellValue } from "./skills/values.ts";
import { where } from "./skills/where.ts";
import { paragraphs } from "./text.ts";
import type { PlannedCall } from "./tools.ts";

/** From the most specific wording to the vaguest; the first that takes the request answers it. */
const skills: readonly Skill[] = [
  history,
  manual,
  run,
  tellValue,
  listKind,
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
  const requests = [...listTasks(question, conversation), ...also];
  return requests.length > 1
    ? answerAll(requests, conversation)
    : answerOne(requests[0] ?? question, conversation);
}

const answerOne: (request: string, conversation: OfflineConversation) => AnswerScript = (
  request,
  conversation,
) => takeRequest(request, conversation) ?? help(request);

/** The items of a list, and questions that came in between, each in its turn. */
function* answerAll(requests: readonly string[], conversation: OfflineConversation): AnswerScript {
  const answers: string[] = [];
  for (const request of requests) {
    const isFirst = request === conversation.question;
    if (!isFirst) answers.push(`**${clipLine(request, 80)}**`);
    answers.push(yield* answerOne(request, conversation));
  }
  return paragraphs(...answers);
}

const item = /^\s*(?:\d+[.)]|[-*•])\s+(\S.*)$/;

/** Where a request ends and another begins: "run the tests and fix them", "what is it and how do I start it". */
const next =
  /,? and (?:then )?(?=(?:how|what|where|which|who|fix|run|build|commit|push|add|change|remove|delete|rename|explain)\s)/i;

/** The items of a list of requests, or the parts of a sentence; any other message is one request. */
function listTasks(question: string, conversation: OfflineConversation): string[] {
  if (question.length > requestChars || question.includes("```")) return [question];
  const items = question.split("\n").flatMap((line) => item.exec(line)?.[1]?.trim() ?? []);
  const isList = items.length > 1 && items.some((task) => takeRequest(task, conversation));
  if (isList) return items;
  const parts = /["“`'\n]/.test(question) ? [] : question.split(next);
  return parts.some((part) => takeRequest(part, conversation)) && parts.length > 1
    ? parts
    : [question];
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
  // Ids must be unique in a session, of which a request shows a part: they depend on all of that.
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
