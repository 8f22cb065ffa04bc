import type { Move, Skill } from "../skill.ts";
import { bare } from "../text.ts";
import type { Step, Turn } from "../turn.ts";
import { compact } from "./look.ts";
import { recollect } from "./talk.ts";

const asks = /^(?:continue|go on|carry on|keep (?:going|reading)|resume|read on|proceed)\b/i;

/**
 * "Continue": takes the newest work up again, with the steps that it had made already. `resume` is
 * what takes a question on.
 */
export function carryOn(turn: Turn, resume: Skill): Move | null {
  if (!asks.test(bare(turn.question))) return null;
  const isWork = (question: string): boolean => {
    const fresh = { ...turn, question, steps: [], said: [] };
    return !compact(fresh) && !recollect(fresh) && resume(fresh) !== null;
  };
  const last = turn.before.findLast(({ question }) => isWork(question));
  const question = last?.question ?? turn.summarised.questions.findLast(isWork);
  if (question === undefined)
    return { say: "There is nothing begun that I could go on with. Tell me what to do." };
  const after = last ? turn.before.slice(turn.before.indexOf(last)) : [];
  const all = [...after, { question: turn.question, steps: turn.steps, said: turn.said }].map(
    (one) => withoutCutOff(one.steps, one.said),
  );
  let count = 0;
  const said = all.flatMap((one) => {
    const before = count;
    count += one.steps.length;
    return one.said.map(({ text, after: steps }) => ({ text, after: before + steps }));
  });
  return resume({
    ...turn,
    question,
    said,
    steps: all.flatMap(({ steps }) => steps),
    summarised: { ...turn.summarised, questions: [question] },
  });
}

/** What the person stopped is left out, so that it is done again. */
function withoutCutOff(steps: readonly Step[], said: Turn["said"]) {
  const kept = steps.filter((step) => !isCutOff(step));
  const keptBefore = (after: number): number =>
    steps.slice(0, after).filter((step) => !isCutOff(step)).length;
  return { steps: kept, said: said.map(({ text, after }) => ({ text, after: keptBefore(after) })) };
}

const isCutOff = ({ failed, text }: Step): boolean =>
  failed && /^Interrupted (?:by|before)|^\[interrupted by the user\]$/m.test(text);
