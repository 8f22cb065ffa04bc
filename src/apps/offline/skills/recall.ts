import { call, type Skill } from "../skill.ts";
import { bare, fenced } from "../text.ts";
import { argument } from "../turn.ts";

const handle = /^(?:recall|open)\s+((?:[\w.-]+)?#e\d+)$/i;
const asks = [
  /^recall\s+(.+)$/i,
  /^(?:search|look through|look in)\s+(?:the\s+|our\s+|this\s+)?(?:history|session|conversation|log)\s+for\s+(.+)$/i,
  /^what\s+(?:did|do)\s+(?:we|you|i)\s+(?:say|said|write|know|find|see|learn)\s+(?:about|of|on)\s+(.+?)(?:\s+(?:earlier|before|so far))?$/i,
];

/** "Recall WORDS", "recall #e12": what was said and shown, also what is no longer in the context. */
export const recall: Skill = (turn) => {
  const text = bare(turn.question);
  const open = handle.exec(text)?.[1];
  const query = open === undefined ? asks.map((form) => form.exec(text)?.[1]).find(Boolean) : open;
  if (query === undefined) return null;
  const words = query.replace(/^["'`“]|["'`”]$/g, "");
  const done = turn.steps.find(
    (step) =>
      step.tool === "recall" && [argument(step, "query"), argument(step, "open")].includes(words),
  );
  if (!done)
    return {
      say: open === undefined ? `Searching the history for “${words}”.` : `Opening ${words}.`,
      calls: [call("recall", open === undefined ? { query: words } : { open: words })],
    };
  if (done.failed) return { say: done.text };
  const more = open === undefined ? "\n\n“recall #HANDLE” opens one of them." : "";
  return { say: `${fenced(done.text.slice(0, 6_000))}${more}` };
};
