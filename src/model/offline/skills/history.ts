import { clipLine } from "../../../base/clip.ts";
import type { Conversation } from "../conversation.ts";
import { answer, type Skill } from "../script.ts";
import { bare } from "../text.ts";

const asksForQuestions =
  /\bwhat (?:did|have|was) (?:I|my)\b.*\b(?:ask|asked|say|said|want|tell|told|question)/i;
const asksForAnswer =
  /^what (?:did|have) you (?:just )?(?:find|found|see|say|said|do|done|learn|learned)\b|^what (?:was|were) (?:that|it|the (?:last )?(?:results?|answer))(?: again)?$|^(?:show|say|tell me|repeat) (?:that|it)(?: again)?$|^what happened$/i;

/** Questions about the conversation itself. */
export const history: Skill = (request, conversation) => {
  const text = bare(request);
  if (asksForQuestions.test(text)) return answer(questions(text, conversation));
  if (asksForAnswer.test(text)) return answer(lastAnswer(conversation));
  return null;
};

function questions(request: string, { earlier }: Conversation): string {
  if (earlier.length === 0) return "This is your first question.";
  const isLast = /\b(?:last|before|just|previous)\b/i.test(request);
  const from = isLast ? earlier.length - 1 : 0;
  const to = /\bfirst\b/i.test(request) ? 1 : earlier.length;
  const lines = earlier
    .slice(from, to)
    .map((text, at) => `${from + at + 1}. ${clipLine(text, 200)}`);
  return `You asked:\n${lines.join("\n")}`;
}

function lastAnswer({ before, summary }: Conversation): string {
  const last = before.findLast((exchange) => exchange.answer !== "");
  if (last) return `You asked “${clipLine(last.question, 100)}”. My answer was:\n\n${last.answer}`;
  const state = /^7\. Current state:\n([\s\S]*?)(?=\n\n\d\. |$)/m.exec(summary.text)?.[1];
  return state === undefined
    ? "Nothing yet: this is your first question."
    : `The summary of the earlier conversation says:\n\n${state.trim()}`;
}

/** The file that "it" or "that file" means: the first one that the last answer names. */
export function lastPath({ before }: Conversation): string | null {
  const last = before.findLast((exchange) => exchange.answer !== "")?.answer ?? "";
  return /`([^\s`:]+\.\w+)(?::\d+)?`/.exec(last)?.[1] ?? null;
}
