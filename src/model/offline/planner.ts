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
  const text = fitText(next.text, request.maxTokens * charsPerToken);
  // Ids must be unique in a session, of which a request shows a part: they depend on all of that.
  const id = Bun.hash(JSON.stringify(request.messages)).toString(36);
  return [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...next.calls.map(({ tool, input }, index) => ({
      type: "tool_use" as const,
      id: `offline_${id}_${index}`,
      name: tool,
      input,
    })),
  ];
}

/** Cuts an answer that is too long; a call has to fit. */
function fitText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const note = "\n\n[The rest does not fit into this answer.]";
  return maxChars > note.length ? `${takeStart(text, maxChars - note.length)}${note}` : "";
}
