/** Answers a request. Pure: the same request gets the same answer. */

import { takeStart } from "../../base/clip.ts";
import type { AssistantBlock } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import {
  readConversation,
  type OfflineConversation,
  type CallStep,
  charsPerToken,
} from "./conversation.ts";
import { replay, answer, type AnswerScript, type Skill } from "./script.ts";
import { edit } from "./skills/edit.ts";
import { project } from "./skills/project.ts";
import { readFiles } from "./skills/read.ts";
import { run } from "./skills/run.ts";
import { where } from "./skills/where.ts";
import type { PlannedCall } from "./tools.ts";

/** The first that takes the request answers it. */
const skills: readonly Skill[] = [edit, run, project, readFiles, where];

/** A longer message was pasted; it is not one of the requests that are known. */
const requestChars = 2_000;

const help =
  'I\'m the offline model and work by fixed rules: “what is this project?”, “where is NAME?”, “read FILE”, “run the tests”, “run `COMMAND`” and “replace "OLD" with "NEW" in FILE” work, and /connect sets up a real model.';

function scriptFor({ question, steps }: OfflineConversation): AnswerScript {
  const declined = steps.find(isDeclined);
  if (declined) return answer(whyStopped(declined));
  for (const skill of question.length > requestChars ? [] : skills) {
    const script = skill(question);
    if (script) return script;
  }
  return answer(help);
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
