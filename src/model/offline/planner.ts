/** Answers a request. Pure: the same request gets the same answer. */

import { takeStart } from "../../base/clip.ts";
import type { AssistantBlock } from "../../protocol/block.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { hasEffects, type AnswerScript, type PlannedCall } from "./calls.ts";
import {
  charsPerToken,
  readConversation,
  type CallStep,
  type OfflineConversation,
} from "./conversation.ts";
import { findSkill } from "./skills.ts";

/** A longer message was pasted; it is not one of the requests that are known. */
const requestChars = 2_000;

const help =
  'I\'m the offline model and work by fixed rules: “what is this project?”, “where is NAME?”, “read FILE”, “run the tests”, “run `COMMAND`” and “replace "OLD" with "NEW" in FILE” work, and /connect sets up a real model.';

const compacted =
  "The conversation was compacted while I was working on this, so I can't see which steps are done. Please check what is done, and ask again for what is missing.";

type NextStep = { text: string; calls: readonly PlannedCall[] };

function nextStep(conversation: OfflineConversation): NextStep {
  const { question, steps } = conversation;
  const declined = steps.find(isDeclined);
  if (declined) return say(whyStopped(declined));
  const script = question.length > requestChars ? null : findSkill(question);
  return script === null ? say(help) : replay(script, conversation);
}

const say = (text: string): NextStep => ({ text, calls: [] });

const isDeclined = ({ failed, text }: CallStep): boolean =>
  failed && /^The user (declined|denied|rejected)/.test(text);

function whyStopped({ text, tool }: CallStep): string {
  const reason = /\bsaid: ([\s\S]+)$/.exec(text)?.[1]?.trim();
  return `The ${tool} call was denied and did not run${reason ? `: “${reason}”` : "."}`;
}

/**
 * Runs the script over the calls that were already made, up to the first one without a result: the
 * calls to make next, or the answer. The offline model needs no memory of its own this way.
 */
function replay(script: AnswerScript, { steps, tools, isCutOff }: OfflineConversation): NextStep {
  const made = Map.groupBy(steps, keyOf);
  let state = script.next();
  while (!state.done) {
    const taken = state.value.map((call) => take(made.get(keyOf(call)) ?? [], call));
    const missing = state.value.filter((_, at) => taken[at] === undefined);
    const unknown = missing.find(({ tool }) => !tools.has(tool));
    if (unknown) return say(`I need the tool ${unknown.tool}, which is not available here.`);
    if (isCutOff && missing.some(({ tool }) => hasEffects(tool))) return say(compacted);
    if (missing.length > 0) return { text: "", calls: missing };
    state = script.next(taken.flatMap((step) => step ?? []));
  }
  return say(state.value);
}

const keyOf = ({ tool, input }: PlannedCall): string => `${tool} ${JSON.stringify(input)}`;

/** The next result of a call. A cleared one counts only if the call must not be repeated. */
function take(waiting: CallStep[], { tool }: PlannedCall): CallStep | undefined {
  const at = waiting.findIndex(({ cleared }) => !cleared || hasEffects(tool));
  return at === -1 ? undefined : waiting.splice(0, at + 1).at(-1);
}

export function planAnswer(request: ModelRequest): AssistantBlock[] {
  const next = nextStep(readConversation(request));
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
